// Papers are put to studies before a run: a field for each chosen file writes the lines that "Several papers of one trial" takes.

import { element } from "./elements.js";

const files = document.getElementById("papers");
const lines = document.getElementById("studies");
const grouping = document.getElementById("grouping");

if (grouping && lines.matches("textarea")) {
  files.addEventListener("change", show);
  show(); // a browser that went back may still have files
}

// As the server names what it is handed.
function named(file) {
  return file.name.replaceAll(" ", "_");
}

function show() {
  const papers = document.getElementById("grouping-papers");
  const several = files.files.length > 1;
  grouping.hidden = !several;
  lines.closest("details").hidden = several;
  if (!several) return;
  const typed = new Map();
  for (const [, study, of] of lines.value.matchAll(/^([^:\n]+):(.+)$/gm)) for (const paper of of.trim().split(/\s+/)) typed.set(paper, study.trim());
  papers.replaceChildren(...[...files.files].flatMap((file, place) => {
    const label = element("label", { for: `chosen-${place}` }, named(file));
    label.prepend(element("span", { class: "visually-hidden" }, "Study of "));
    const field = element("input", { id: `chosen-${place}`, list: "study-names", autocomplete: "off" });
    field.dataset.paper = named(file);
    field.value = typed.get(named(file)) ?? "";
    field.addEventListener("input", write);
    const row = element("div", { class: "trials-paper" });
    row.append(label, field);
    return [row];
  }));
  write();
}

function write() {
  const studies = new Map();
  for (const field of document.querySelectorAll("#grouping-papers input")) {
    const name = field.value.replaceAll(":", " ").replace(/\s+/g, " ").trim();
    if (name) studies.set(name, [...(studies.get(name) ?? []), field.dataset.paper]);
  }
  lines.value = [...studies].map(([name, papers]) => `${name}: ${papers.join(" ")}`).join("\n");
  document.getElementById("study-names").replaceChildren(...[...studies.keys()].map((name) => element("option", { value: name }, "")));
}
