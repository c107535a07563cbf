"use strict";
// Makes every table with the attribute data-sortable sortable by its headings. A cell's data-value decides where it has
// one; a cell of figures without one is missing its figure, and comes last whichever way is sorted.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const headings = Array.from(table.tHead.rows[0].cells);
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      sort(table.tBodies[0], column, heading.classList.contains("number"), ascending);
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    });
  });
}

function sort(body, column, isNumber, ascending) {
  const keyed = Array.from(body.rows, (row) => {
    const cell = row.cells[column];
    if (!isNumber) return { row, key: cell.textContent, isMissing: false };
    return { row, key: Number(cell.dataset.value), isMissing: cell.dataset.value === undefined };
  });
  const way = ascending ? 1 : -1;
  keyed.sort((a, b) => {
    if (a.isMissing || b.isMissing) return Number(a.isMissing) - Number(b.isMissing);
    return a.key < b.key ? -way : a.key > b.key ? way : 0;
  });
  body.append(...keyed.map(({ row }) => row));
}
