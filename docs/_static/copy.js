// A button on every block of code, of output and of a prompt, which copies its text.

function textOf(block) {
  const copy = block.cloneNode(true);
  // Of a console, the commands alone.
  copy.querySelectorAll(".gp, .go").forEach((part) => part.remove());
  // White space that a prompt shows as a mark.
  copy.querySelectorAll("i").forEach((mark) => {
    mark.textContent = mark.textContent.replaceAll("␣", " ").replaceAll("⏎", "\n");
  });
  return copy.textContent;
}

function addButton(block) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "copyable";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(textOf(block));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("article pre").forEach(addButton);
});

// What is wider than the page is scrolled in its own box: a keyboard must reach that.
function reachable() {
  for (const box of document.querySelectorAll("article pre, article .table-wrapper")) {
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
