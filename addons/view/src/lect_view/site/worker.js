// Runs lect: the page stays responsive meanwhile, can end this worker, and a dropped file is read where it is, however large.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const UNPACKED = "/packages";
const TOKENIZER = "tokenizer.json";
const OFTEN = 50; // Milliseconds between two reports.
let live;
let drops = 0;
let loaded = 0;
let reported = 0;

// Counts the bytes of all that is fetched, also by Pyodide.
const fetched = globalThis.fetch;
globalThis.fetch = async (...asked) => {
  const found = await fetched(...asked);
  if (!found.body) return found;
  const counts = new TransformStream({
    transform(chunk, out) {
      out.enqueue(chunk);
      loaded += chunk.byteLength;
      if (performance.now() - reported < OFTEN) return;
      reported = performance.now();
      postMessage({ loaded });
    },
  });
  return new Response(found.body.pipeThrough(counts), { status: found.status, headers: found.headers });
};

async function start() {
  const [python, packages] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch("packages.zip").then((found) => found.arrayBuffer()),
  ]);
  postMessage({ starts: "Starting lect" });
  python.unpackArchive(packages, "zip", { extractDir: UNPACKED });
  python.runPython(`import sys; sys.path.insert(0, "${UNPACKED}")`);
  live = python.pyimport("lect_view.site.live");
  postMessage({ known: JSON.parse(live.suggestions()) });
  return python;
}

// A tokenizer may be dropped alone; what else there is decides the format.
function mounted(python, files) {
  drops += 1;
  const path = `/dropped/${drops}/model`;
  python.FS.mkdirTree(path);
  python.FS.mount(python.FS.filesystems.WORKERFS, { files }, path);
  const others = files.filter((file) => file.name !== TOKENIZER);
  const gguf = others.length === 1 && others[0].name.endsWith(".gguf");
  return {
    model: others.length && (gguf ? `${path}/${others[0].name}` : path),
    tokenizer: others.length < files.length && path,
  };
}

const started = start();
started.catch((error) => postMessage({ failed: String(error) }));

onmessage = async ({ data }) => {
  const python = await started;
  if (data.files) return postMessage({ dropped: mounted(python, data.files), again: data.again });
  try {
    postMessage({ answer: JSON.parse(live.answer(JSON.stringify(data.asked))), asked: data.asked });
  } catch (error) {
    postMessage({ answer: { error: String(error) }, asked: data.asked });
  }
};
