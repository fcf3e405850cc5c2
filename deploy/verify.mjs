// Verifies an export of gw's event log, or the directory of gw evidence, with Node 22 or later alone. Exits 0 if everything is
// correct, else 10 with the first problem and its position.
//   node verify.mjs <export.ndjson | directory of a pack> [--key <trusted audit key that must have signed; else the log's>] [--anchor
// <checkpoints to be held>] [--allow-redacted]
import { createHash, hash, verify } from 'node:crypto';
import { createReadStream, readFileSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [source = '', ...options] = process.argv.slice(2);
const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : null);
if (Map.groupBy === undefined) throw new Error('verify.mjs needs Node 22 or later');
const say = (text) => process.stdout.write(`${text}\n`);
const unanchored =
  'without saved checkpoints (--anchor), a log that was truncated, or rewritten and signed again, is not detected';
let log = null; // how far the log is checked: position and hash of the last event, the audit key in force
const must = (holds, problem, position = (log?.position ?? 0) + 1) => {
  if (!holds) say(`position ${position}: ${problem}`);
  if (!holds) process.exit(10);
};
process.once('uncaughtException', ({ message }) => must(false, message));
const sha256 = (text) => hash('sha256', text, 'buffer');
const hex = (text) => sha256(text).toString('hex');
const base64 = (text) => Buffer.from(text ?? '', 'base64');
const der = (key) => Buffer.from(`302a300506032b6570032100${key}`, 'hex'); // RFC 8410
const isSigned = (text, signature, key) =>
  verify(null, Buffer.from(text), { key: der(key), format: 'der', type: 'spki' }, signature);
// A signed note (c2sp.org/signed-note): log, position, hash; the signature follows 4 bytes that name its key.
const isCheckpoint = (note, { logId, position, hash, key }) => {
  const text = `gw/${logId}\n${position}\n${hash.toString('base64')}\n`;
  const signed = base64(note.slice(note.lastIndexOf(' ') + 1));
  const keyId = hex(Buffer.from(Buffer.from(`gw/${logId}\n\u0001`).toString('hex') + key, 'hex'));
  const isWhole = note === `${text}\n— gw/${logId} ${signed.toString('base64')}\n`;
  const isKeys = keyId.startsWith(signed.subarray(0, 4).toString('hex'));
  return isWhole && isKeys && isSigned(text, signed.subarray(4), key);
};
const begin = ({ log_id: logId, from, to, previous_hash: before, audit_key: key }) => {
  const isGenesis = key === null && hex(`gw-log-genesis${logId}`) === before;
  must(from > 1 || isGenesis, 'the export does not begin like its log');
  log = { logId, from, to, position: from - 1, hash: Buffer.from(before, 'hex'), key, notes: 0 };
  Object.assign(log, { blanks: 0, blankAt: [] }); // events whose payload was removed
};
const follow = (e) => {
  must(e.position === log.position + 1, `the next event is ${e.position}`);
  const isWhole = e.payload === null || hex(e.payload) === e.payload_digest;
  must(isWhole, 'the payload does not match its digest');
  if (e.payload === null && log.blanks++ < 20) log.blankAt.push(e.position);
  const head = ['\0gw-event-v1', ...Object.values(e).slice(0, 8)]; // position to recorded_at
  const leaf = sha256([...head, hex(e.metadata), e.payload_digest, ''].join('\n'));
  must(leaf.toString('hex') === e.leaf_hash, 'the envelope does not match its leaf hash');
  const chain = sha256(Buffer.concat([Uint8Array.of(1), log.hash, leaf]));
  const isNext = chain.toString('hex') === e.hash;
  must(isNext, 'the event does not follow the one before it in the hash chain');
  const { public_key: next, signature } = e.type === 'AuditKeySet' ? JSON.parse(e.payload) : {};
  const text = `gw-audit-key-v1\n${log.logId}\n${log.key}\n${next}\n`;
  const isHeld = next === undefined || log.key === null;
  const unsigned = `audit key ${next} is not signed by the one before it, ${log.key}`;
  must(isHeld || isSigned(text, base64(signature), log.key), unsigned);
  Object.assign(log, { position: e.position, hash: chain, key: next ?? log.key });
};
// The members of each kind of line, in their order; # is a number, ~ is null.
const shapes = new Set([
  'gw_log_export# log_id from# to# previous_hash audit_key',
  'position# stream version# event_id type schema# tx_id recorded_at# ' +
    'metadata payload payload_digest leaf_hash hash',
  'checkpoint',
  'end# hash events# checkpoints#',
]);
const signOf = (value) =>
  value === null ? '~' : ({ number: '#', string: '' }[typeof value] ?? '?');
const shapeOf = (record) => {
  const members = Object.entries(record).map(([name, value]) => `${name}${signOf(value)}`);
  return members.join(' ').replace(/(payload|audit_key)~/, '$1');
};
const verifyLog = async (file, isPack) => {
  const kept = option('--anchor') === null ? '' : readFileSync(option('--anchor'), 'utf8');
  const notes = (kept.match(/.+/g) ?? []).map((line) => JSON.parse(line).checkpoint);
  const anchors = Map.groupBy(notes, (note) => Number(note.split('\n')[1]));
  let [isOver, isVouched, signed] = [false, option('--key') === null, 0];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const record = JSON.parse(line);
    const isExact = JSON.stringify(record) === line && shapes.has(shapeOf(record));
    must(isExact, 'the line is altered');
    const [kind] = Object.keys(record);
    must((kind === 'gw_log_export') === (log === null) && !isOver, 'the line is out of place');
    ({ gw_log_export: begin, position: follow, checkpoint: () => log.notes++ })[kind]?.(record);
    for (const note of anchors.get(record.position) ?? [record.checkpoint ?? []].flat()) {
      must(isCheckpoint(note, log), 'a checkpoint contradicts the log or is forged', log.position);
      [signed, isVouched] = [log.position, isVouched || log.key === option('--key')];
    }
    const counts = `"events":${log.position - log.from + 1},"checkpoints":${log.notes}`;
    isOver = line === `{"end":${log.position},"hash":"${log.hash.toString('hex')}",${counts}}`;
    must(kind !== 'end' || isOver, 'the end does not match the events');
  }
  must(isOver && log.position === log.to, 'the export is cut off');
  for (const at of anchors.keys()) must(isPack || at <= log.to, 'the log ends before a checkpoint');
  isVouched ||= isPack && log.key === option('--key'); // which signs the manifest then
  must(isVouched, 'the trusted audit key signed no part of this', log.position);
  const blank =
    log.blanks === 1
      ? `1 event has no payload (position ${log.blankAt})`
      : `${log.blanks} events have no payload (positions ${log.blankAt.join(', ')}${log.blanks > 20 ? ', …' : ''})`;
  must(log.blanks === 0 || options.includes('--allow-redacted'), blank, log.blankAt[0]);
  const what = signed ? `up to position ${signed}, ${log.to - signed} events behind` : 'nothing';
  say(`${log.to - log.from + 1} events, ${log.notes} checkpoints: all valid; signed: ${what}`);
  if (log.blanks > 0) say(blank);
  if (notes.length === 0) say(unanchored);
};
const verifyPack = async (directory) => {
  const read = (name) => readFileSync(`${directory}/${name}`, 'utf8');
  const { files, to } = JSON.parse(read('manifest.json'));
  const names = new Set(['manifest.json', 'manifest.sig', ...files.map(({ name }) => name)]);
  const others = names.symmetricDifference(new Set(readdirSync(directory)));
  must(others.size === 0, `missing from the pack, or not part of it: ${[...others].join(', ')}`);
  for (const { name, sha256: own } of files) {
    const digest = createHash('sha256');
    for await (const chunk of createReadStream(`${directory}/${name}`)) digest.update(chunk);
    must(digest.digest('hex') === own, `${name} does not match the manifest`);
  }
  await verifyLog(`${directory}/log.ndjson`, true); // where a pack ends is signed
  const [sha, { signature }] = [hex(read('manifest.json')), JSON.parse(read('manifest.sig'))];
  const sig = `{"manifest":"${sha}","signature":"${base64(signature).toString('base64')}"}\n`;
  const isWhole = read('manifest.sig') === sig && to.hash === log.hash.toString('hex');
  const isOwn = !log.key || isSigned(`gw-evidence-v1\n${sha}\n`, base64(signature), log.key);
  must(isWhole && isOwn, 'the manifest is altered, or the audit key did not sign it');
  say(`${files.length} files match the manifest, ${log.key ? 'signed' : 'not signed'}`);
};
await (statSync(source).isDirectory() ? verifyPack(source) : verifyLog(source, false));
