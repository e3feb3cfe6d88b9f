// SPDX-License-Identifier: MIT
// The sample service once more, on ONNX Runtime's own binding for Node: what the others are compared with.
// Only inference, health and what a load test needs.
//
//   node onnxruntime_service.mjs MODULES --models FOLDER --address HOST:PORT
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [modules, ...rest] = process.argv.slice(2);
const option = (name) => rest[rest.indexOf(name) + 1];
const { InferenceSession, Tensor } =
  createRequire(join(resolve(modules), 'package.json'))('onnxruntime-node');
const folder = option('--models');
const [host, port] = option('--address').split(':');

const sessions = new Map();
for (const name of readdirSync(folder).filter((file) => file.endsWith('.onnx'))) {
  const options = { intraOpNumThreads: 1 };
  sessions.set(name.slice(0, -5), await InferenceSession.create(join(folder, name), options));
}

async function infer(session, body) {
  const feeds = {};
  for (const { name, shape, data } of JSON.parse(body).inputs) {
    feeds[name] = new Tensor('float32', Float32Array.from(data), shape);
  }
  const results = await session.run(feeds);
  return Object.entries(results).map(([name, tensor]) => ({
    name, datatype: 'FP32', shape: tensor.dims, data: Array.from(tensor.data),
  }));
}

const server = createServer((request, response) => {
  const answer = (status, value) => {
    const text = JSON.stringify(value);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': text.length });
    response.end(text);
  };
  const found = /^\/v2\/models\/([^/]+)\/infer$/.exec(request.url);
  const session = found && sessions.get(found[1]);
  if (!session) return answer(request.url === '/v2/health/ready' ? 200 : 404, { ready: !found });
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    infer(session, Buffer.concat(pieces))
      .then((outputs) => answer(200, { model_name: found[1], model_version: '1', outputs }))
      .catch((error) => answer(400, { error: String(error) }));
  });
});
process.on('SIGTERM', () => server.close(() => process.exit(0)));
server.listen(Number(port), host, () => console.log(`listening on ${host}:${server.address().port}`));
