// Runs only in browsers that do not know module scripts; the page itself cannot start there.
document.querySelector("#boot .boot-text").textContent = /^zh/i.test(navigator.language)
  ? "此浏览器太旧，无法运行演练场：它不支持 JavaScript 模块。请使用较新版本的 Firefox、Chrome、Edge 或 Safari。"
  : "This browser is too old for the playground: it lacks JavaScript modules. " +
    "A current Firefox, Chrome, Edge or Safari will do.";
