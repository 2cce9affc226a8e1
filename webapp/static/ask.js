// The ask page made easier: examples, what was changed, the prompts' editors. All of it works without this file, too.

import { element } from "./elements.js";
import { prompts } from "./prompts.js";

const form = document.querySelector("form.ask");
const question = document.getElementById("question");

form.classList.add("scripted");
examples();
options();
sending();
document.querySelector("#faults, #held")?.focus();
prompts(form);

function examples() {
  for (const link of form.querySelectorAll("a.example")) {
    const button = element("button", { type: "button", class: "example" }, link.textContent);
    button.addEventListener("click", () => {
      question.value = button.textContent;
      question.focus();
    });
    link.replaceWith(button);
  }
}

// ---- options: how many differ from the default; what belongs to a choice shows with it

function options() {
  const panel = document.getElementById("options");
  const chip = document.getElementById("options-changed");
  const value = (control) => {
    if (control.matches("fieldset")) return control.querySelector("input[type=radio]:checked")?.value ?? "";
    return control.type === "checkbox" ? (control.checked ? control.value : "") : control.value.trim();
  };
  const differs = (control) => {
    const now = value(control);
    return !control.disabled && now !== control.dataset.first && (now !== "" || control.type === "checkbox");
  };
  const show = () => {
    const regime = form.elements.regime.value;
    for (const under of panel.querySelectorAll("[data-regime]")) {
      under.hidden = under.dataset.regime !== regime;
      under.querySelector("input").disabled = under.hidden;
    }
    const changed = [...panel.querySelectorAll("[data-first]")].filter(differs).length;
    chip.hidden = changed === 0;
    chip.textContent = `${changed} changed`;
    const unread = document.getElementById("prompts-unread");
    const model = form.elements.model;
    if (unread && model) unread.hidden = model.value !== "extractive";
    answersFrom();
  };
  panel.addEventListener("input", show);
  panel.addEventListener("change", show);
  window.addEventListener("pageshow", show); // what a browser put back after "back"
  show();
}

// What is said beside the button of a demo corpus or of no language model, as chosen now.
function answersFrom() {
  const line = form.querySelector(".answers-from");
  const demo = (form.elements.source?.value ?? line.dataset.source) === "demo";
  const plain = (form.elements.model?.value ?? line.dataset.model) === line.dataset.noModel;
  for (const words of line.children) {
    words.hidden = words.dataset.demo !== (demo ? "True" : "False") || words.dataset.plain !== (plain ? "True" : "False");
  }
}

function sending() {
  const button = document.getElementById("ask");
  const words = button.textContent;
  form.addEventListener("submit", (event) => {
    if (button.getAttribute("aria-disabled") === "true") return event.preventDefault();
    button.setAttribute("aria-disabled", "true");
    button.textContent = "Asking…";
  });
  window.addEventListener("pageshow", () => {
    button.removeAttribute("aria-disabled");
    button.textContent = words;
  });
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(button);
  });
}
