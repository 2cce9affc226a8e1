// A menu that is open is shut by Escape and by a click elsewhere. Without this file its own button shuts it.

const open = () => document.querySelector("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const one of document.querySelectorAll("details.menu[open]")) {
    if (event.target instanceof Node && !one.contains(event.target)) one.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" ? open() : null;
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
