// Loads the views that show consensus: their style sheet and their program. Fetched when one is first opened.
// It holds no logic of the playground itself.

const styled = (again) => new Promise((resolve, reject) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(`./insight.css?v=dev${again}`, import.meta.url).href;
  link.onload = () => resolve();
  link.onerror = () => {
    link.remove();
    reject(new Error("insight.css: it did not come"));
  };
  document.head.append(link);
});

// `again` is part of every address that a browser would otherwise remember as failed.
export async function load(compile, again) {
  const [module, program] = await Promise.all([
    compile("insight_bg.wasm"),
    import(`./insight.js?v=dev${again}`),
    styled(again),
  ]);
  await program.default({ module_or_path: module });
  return program;
}
