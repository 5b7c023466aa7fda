// Runs only in browsers that do not know module scripts; the page itself cannot start there.
document.querySelector("#boot .boot-text").textContent =
  "This browser is too old for the playground: it lacks JavaScript modules. " +
  "A current Firefox, Chrome, Edge or Safari will do.";
