// The main script of the executable. It unpacks the program once per build into a folder of this user, and runs it from
// there: native modules, worker threads and the Postgres of `gw dev` need real files.

'use strict';

const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const sea = require('node:sea');
const { pathToFileURL } = require('node:url');
const zlib = require('node:zlib');

const digest = sea.getAsset('digest', 'utf8');
const user = process.getuid();

/** False for root with the HOME of another user, who could not delete root's files there. */
function isOwn(folder) {
  for (let place = path.resolve(folder); ; place = path.dirname(place)) {
    const found = fs.statSync(place, { throwIfNoEntry: false });
    if (found !== undefined) return found.uid === user;
  }
}

/** GW_UNPACK_DIR, or the user's cache, or the temporary folder; the first that can be written. */
function placeOf(name) {
  const given = process.env.GW_UNPACK_DIR;
  if (given) return path.join(path.resolve(given), name);
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const own = path.join(cache, 'gw');
  try {
    if (!isOwn(own)) throw new Error(`${own} is in a folder of another user`);
    fs.mkdirSync(own, { recursive: true, mode: 0o755 });
    fs.accessSync(own, fs.constants.W_OK);
    return path.join(own, name);
  } catch {
    return path.join(os.tmpdir(), `gw-${user}`, name);
  }
}

/** Another user who can write here could run code as this one. */
function refuseForeign(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  if ((uid === user || uid === 0) && (mode & 0o022) === 0) return;
  throw new Error(
    `${folder} belongs to another user or can be written by others. Remove it, or set GW_UNPACK_DIR to a folder of your own.`,
  );
}

/** The first line of the archive, so that a later start can see whether a file is missing. */
const indexName = 'files.json';

const hasSize = (file, size) => fs.lstatSync(file, { throwIfNoEntry: false })?.size === size;

/** Programs that clean up old files may have deleted some. */
function isWhole(folder) {
  try {
    const index = JSON.parse(fs.readFileSync(path.join(folder, indexName), 'utf8'));
    return index.every(([name, , size]) => hasSize(path.join(folder, name), size));
  } catch {
    return false;
  }
}

/**
 * The archive is a line of JSON with [path, mode, bytes] of each file, then their contents. Leaves files that are there as
 * they are, because another process may run them.
 */
function unpack(target) {
  const archive = zlib.zstdDecompressSync(Buffer.from(sea.getRawAsset('program')));
  const end = archive.indexOf(10);
  let at = end + 1;
  const made = new Set();
  for (const [name, mode, size] of JSON.parse(archive.toString('utf8', 0, end))) {
    const file = path.join(target, name);
    const folder = path.dirname(file);
    if (!made.has(folder)) fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    made.add(folder);
    if (!hasSize(file, size)) writeWhole(file, archive.subarray(at, at + size), mode);
    at += size;
  }
  writeWhole(path.join(target, indexName), archive.subarray(0, end), 0o644);
}

/** Another process never sees a part of the file. */
function writeWhole(file, bytes, mode) {
  const partial = `${file}.${process.pid}`;
  fs.writeFileSync(partial, bytes, { mode });
  fs.renameSync(partial, file);
}

function unpacked() {
  const folder = placeOf(digest);
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o755 });
  refuseForeign(path.dirname(folder));
  if (!fs.existsSync(folder)) {
    const partial = fs.mkdtempSync(`${folder}.`);
    try {
      unpack(partial);
      fs.chmodSync(partial, 0o755);
      fs.renameSync(partial, folder);
    } catch (error) {
      fs.rmSync(partial, { recursive: true, force: true });
      // Another process of this user was faster.
      if (!fs.existsSync(folder)) throw error;
    }
  }
  refuseForeign(folder);
  if (!isWhole(folder)) unpack(folder);
  return folder;
}

function main() {
  const folder = unpacked();
  const program = path.join(folder, 'dist/src/main.js');
  // argv is [executable, executable, …]; a forked worker gets the path of the program besides.
  if (process.argv[2] === program) process.argv.splice(2, 1);
  process.argv[1] = program;
  return createRequire(program)(path.join(folder, 'run.cjs'))(pathToFileURL(program).href);
}

new Promise((resolve) => resolve(main())).catch((error) => {
  process.stderr.write(`gw: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
