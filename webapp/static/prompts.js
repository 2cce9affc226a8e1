// The prompts' editors: a tab each, the default beside the edit with what differs, problems named while typing.

import { marks } from "./differences.js";
import { element } from "./elements.js";

const kept = "clinfo.llm.prompts"; // in this browser's storage: {name: text} of the edited ones

export function keptPrompts() {
  try {
    const found = JSON.parse(localStorage.getItem(kept) ?? "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

export function prompts(form) {
  const panel = document.getElementById("prompts");
  if (!panel) return;
  const host = panel.querySelector(".editors");
  const editors = [...host.querySelectorAll("details.editor")].map((details) => new Editor(details, form, changed));
  const fromServer = editors.some((editor) => editor.edited);
  const restored = fromServer ? {} : keptPrompts();
  const names = Object.keys(restored);

  for (const editor of editors) if (typeof restored[editor.name] === "string") editor.set(restored[editor.name]);
  tabs(form, host, editors);
  if (editors.some((editor) => names.includes(editor.name) && editor.edited)) notice();
  window.addEventListener("pageshow", () => {
    // What a browser put back after "back" came without an event.
    for (const editor of editors) editor.show();
  });

  function changed() {
    const edits = {};
    for (const editor of editors) if (editor.edited) edits[editor.name] = editor.area.value;
    try {
      if (Object.keys(edits).length) localStorage.setItem(kept, JSON.stringify(edits));
      else localStorage.removeItem(kept);
    } catch {
      // A browser that keeps nothing: the edits are sent with the run all the same.
    }
  }

  function notice() {
    const box = element("div", { class: "notice", id: "prompts-restored" });
    const words = element("p", {}, "Your saved edits are in use. ");
    const reset = element("button", { type: "button" }, "Reset all to the default");
    reset.addEventListener("click", () => {
      for (const editor of editors) if (editor.edited) editor.set(editor.default);
      changed();
      box.remove();
      host.querySelector("[role=tab][tabindex='0']").focus();
    });
    box.append(words, reset);
    host.before(box);
  }
}

function tabs(form, host, editors) {
  const list = element("div", { class: "tabs", role: "tablist", "aria-label": "Prompts" });
  const chosen = editors.find((editor) => editor.problem.textContent) ?? editors.find((editor) => editor.edited) ?? editors[0];
  const show = (editor, focus) => {
    for (const one of editors) {
      one.panel.hidden = one !== editor;
      one.tab.setAttribute("aria-selected", String(one === editor));
      one.tab.tabIndex = one === editor ? 0 : -1;
    }
    if (focus) editor.tab.focus();
  };
  editors.forEach((editor, place) => {
    editor.tab.addEventListener("click", () => show(editor, false));
    editor.tab.addEventListener("keydown", (event) => {
      const last = editors.length - 1;
      const to = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place ? place - 1 : last, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(editors[to], true);
    });
    list.append(editor.tab);
    editor.details.replaceWith(editor.panel);
  });
  host.prepend(list);
  show(chosen, false);
  // A link of the error summary leads into a tab that may not be open.
  form.addEventListener("click", (event) => {
    const target = event.target.closest?.("a[href^='#prompt-']")?.getAttribute("href").slice(1);
    const editor = editors.find((one) => one.area.id === target);
    if (editor) {
      show(editor, false);
    }
  });
}

class Editor {
  constructor(details, form, changed) {
    this.form = form;
    this.details = details;
    this.name = details.dataset.name;
    this.area = details.querySelector("textarea");
    this.problem = details.querySelector(".problem");
    this.default = details.querySelector(".listing").textContent;
    this.changed = changed;
    this.check = details.closest(".editors").dataset.check;
    this.chips = [...details.querySelectorAll("[data-insert]")].map((chip) => this.button(chip));
    this.build();
    this.area.addEventListener("input", () => this.typed());
    this.show();
  }

  get edited() {
    const text = this.area.value.trim();
    return text !== "" && text !== this.default.trim();
  }

  build() {
    const id = this.area.id;
    this.mark = this.details.querySelector(".mark");
    this.tab = element("button", { type: "button", class: "tab", role: "tab", id: `${id}-tab`, "aria-controls": `${id}-panel` });
    this.tab.append(this.details.querySelector(".editor-name"), this.mark);
    this.panel = element("div", { class: "editor-panel", role: "tabpanel", id: `${id}-panel`, "aria-labelledby": `${id}-tab` });
    this.panel.append(this.details.querySelector(".editor-body"));

    const folded = this.panel.querySelector(".default");
    this.listing = folded.querySelector(".listing");
    const pane = element("div", { class: "pane" });
    this.title = element("p", { class: "pane-name" }, "The default");
    pane.append(this.title, this.listing);
    folded.replaceWith(pane);

    this.reset = element("button", { type: "button" }, "Reset to the default");
    this.reset.addEventListener("click", () => {
      this.set(this.default);
      this.changed();
      this.area.focus();
    });
    const foot = element("p", { class: "editor-foot" });
    foot.append(this.reset);
    this.problem.after(foot);
  }

  button(chip) {
    const made = element("button", { type: "button", class: "chip" }, chip.textContent);
    made.dataset.insert = chip.dataset.insert;
    made.addEventListener("click", () => {
      this.area.focus();
      // The old command keeps "undo"; where it is gone the text goes in without.
      if (!document.execCommand?.("insertText", false, made.dataset.insert)) {
        this.area.setRangeText(made.dataset.insert, this.area.selectionStart, this.area.selectionEnd, "end");
        this.area.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
    chip.replaceWith(made);
    return made;
  }

  set(text) {
    this.area.value = text;
    this.show();
    this.ask();
  }

  typed() {
    this.show();
    this.changed();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.ask(), 400);
  }

  show() {
    const edited = this.edited;
    this.mark.hidden = !edited;
    this.reset.hidden = !edited && this.area.value.trim() !== "";
    this.title.textContent = edited ? "The default, and your changes" : "The default";
    for (const chip of this.chips) {
      const there = this.area.value.trim() === "" || this.area.value.includes(chip.dataset.insert);
      chip.classList.toggle("lacking", !there);
      chip.setAttribute("aria-label", `Insert ${chip.dataset.insert}${there ? "" : ", which is missing"}`);
    }
    this.listing.replaceChildren(...(edited ? marks(this.default, this.area.value.trimEnd()) : [this.default]));
    const first = this.listing.querySelector("ins, del");
    if (!this.listing.matches(":hover, :focus")) this.listing.scrollTop = first ? first.offsetTop - this.listing.offsetTop - 60 : 0;
  }

  async ask() {
    this.asking?.abort();
    if (!this.edited) return this.tell("");
    this.asking = new AbortController();
    try {
      const reply = await fetch(this.check, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": this.form.elements.csrf_token.value },
        body: JSON.stringify({ name: this.name, text: this.area.value }),
        signal: this.asking.signal,
      });
      if (!reply.ok) return this.tell("");
      const { problem, line } = await reply.json();
      this.tell(problem ? `${line ? `Line ${line}: ` : ""}${problem}` : "");
    } catch (error) {
      if (error.name !== "AbortError") this.tell(""); // not reachable now: it is checked when it is sent
    }
  }

  tell(problem) {
    if (this.problem.textContent !== problem) this.problem.textContent = problem;
    this.mark.textContent = problem ? "problem" : "differs";
    this.mark.classList.toggle("faulty", Boolean(problem));
    if (problem) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
  }
}
