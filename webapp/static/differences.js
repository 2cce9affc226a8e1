// What differs between two texts, line by line (longest common subsequence).

const MOST = 1200; // lines in both together; beyond that everything between the equal ends counts as changed

/** Elements for the lines of `before` and `after`: <del> for what went, <ins> for what came, a span for what stayed. */
export function marks(before, after) {
  return compared(before.split("\n"), after.split("\n")).map(([kind, text]) => {
    const line = document.createElement({ "-": "del", "+": "ins", " ": "span" }[kind]);
    if (kind === " ") line.className = "line";
    line.textContent = `${kind} ${text}`;
    return line;
  });
}

/** [kind, line] in order; kind is "-", "+" or " ". */
export function compared(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const stayed = (lines) => lines.map((line) => [" ", line]);
  return [...stayed(before.slice(0, start)), ...between(left, right), ...stayed(end ? before.slice(-end) : [])];
}

function between(left, right) {
  if (left.length + right.length > MOST) return [...left.map((line) => ["-", line]), ...right.map((line) => ["+", line])];
  const length = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      length[i][j] = left[i] === right[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const rows = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      rows.push([" ", left[i++]]);
      j++;
    } else if (j >= right.length || (i < left.length && length[i + 1][j] >= length[i][j + 1])) rows.push(["-", left[i++]]);
    else rows.push(["+", right[j++]]);
  }
  return rows;
}
