// Perfetto's trace processor as a process: the engine of its UI as it is, with stdin and stdout in place of the
// page's message port. Both carry bytes of TraceProcessorRpcStream. Node >= 20; argument: the folder of the engine.
const fs = require("fs");
const path = require("path");

const folder = process.argv[2];
class Request {
  open(_, name) {
    this.name = name;
  }
  send() {
    this.response = fs.readFileSync(path.join(folder, path.basename(this.name)));
  }
}
const said = (...words) => process.stderr.write(words.join(" ") + "\n");
const around = {
  self: { location: { href: "http://127.0.0.1/" } },
  process: undefined, // it refuses to run in Node, which it was not built for
  WorkerGlobalScope: class {},
  XMLHttpRequest: Request,
  console: { log: said, warn: said, error: said },
};
const engine = fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8");
new Function(...Object.keys(around), engine)(...Object.values(around));

const port = {
  postMessage: (bytes) => {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(1, bytes, done);
  },
};
around.self.onmessage({ data: port });
setImmediate(() => process.stdin.on("data", (bytes) => port.onmessage({ data: new Uint8Array(bytes) })));
