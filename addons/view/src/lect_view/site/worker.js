// Runs lect: the page stays responsive meanwhile, and a dropped file is read where it is, however large.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const UNPACKED = "/packages";
let live;
let drops = 0;

async function start() {
  postMessage({ state: "Loading Python: 13 MB, once" });
  const [python, packages] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch("packages.zip").then((found) => found.arrayBuffer()),
  ]);
  postMessage({ state: "Loading lect" });
  python.unpackArchive(packages, "zip", { extractDir: UNPACKED });
  python.runPython(`import sys; sys.path.insert(0, "${UNPACKED}")`);
  live = python.pyimport("lect_view.site.live");
  postMessage({ known: JSON.parse(live.suggestions()) });
  return python;
}

const started = start();
started.catch((error) => postMessage({ failed: String(error) }));

onmessage = async ({ data }) => {
  const python = await started;
  if (data.files) {
    drops += 1;
    const path = `/dropped/${drops}/model`;
    python.FS.mkdirTree(path);
    python.FS.mount(python.FS.filesystems.WORKERFS, { files: data.files }, path);
    postMessage({ dropped: data.files.length === 1 && data.files[0].name.endsWith(".gguf") ? `${path}/${data.files[0].name}` : path });
    return;
  }
  try {
    postMessage({ answer: JSON.parse(live.answer(JSON.stringify(data.asked))), asked: data.asked });
  } catch (error) {
    postMessage({ answer: { error: String(error) }, asked: data.asked });
  }
};
