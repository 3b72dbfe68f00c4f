// Reporter of every judged `node --test` run: one JSON line per test, sealed by one line of output.
//
// Loaded by the process that starts the test files, each of which node runs in a process of its own; it must not change
// what a test does. Standard library alone (node 18.15 and later). It
// - yields `{"id", "status", "seconds", "message"}` lines for the report file node writes; ids are
//   `path/of/file.test.js::suite > test`, the path relative to the folder the run started in; a file that fails as a
//   whole, or is a test as a whole, is its path;
// - leaves out what was not asked for, when the file `BENDCODER_SELECT` names holds ids;
// - prints `bendcoder-seal COUNT DIGEST` to standard output at the end, so that a report that is rewritten no longer fits.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, writeSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

const ROOT = realpathSync(process.cwd());
const MESSAGE = 2000;
const selected = process.env.BENDCODER_SELECT ? JSON.parse(readFileSync(process.env.BENDCODER_SELECT, 'utf8')) : null;
const wanted = selected === null ? null : new Set(selected);

function pathOf(file) {
  if (!file) return '';
  let full = resolve(file);
  try {
    full = realpathSync(full);
  } catch {
    // gone meanwhile: named as it was
  }
  return relative(ROOT, full).split(sep).join('/');
}

function isWanted(id) {
  if (wanted === null || wanted.has(id)) return true;
  return !id.includes('::') && selected.some((one) => one.startsWith(`${id}::`));
}

function statusOf(type, data) {
  const failure = data.details?.error?.failureType;
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return type === 'test:pass' ? 'xpassed' : 'xfailed';
  if (type === 'test:pass') return 'passed';
  return failure === 'hookFailed' || failure === 'cancelledByParent' ? 'error' : 'failed';
}

function messageOf(error) {
  const cause = error?.cause ?? error;
  if (cause === undefined || cause === null) return '';
  const name = cause.name ? `${cause.name}: ` : '';
  return `${name}${cause.message ?? cause}`;
}

export default async function* record(source) {
  const names = [];
  const digest = createHash('sha256');
  let count = 0;
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const file = pathOf(data.file);
    const whole = data.nesting === 0 && (data.name === data.file || pathOf(data.name) === file);
    const failure = data.details?.error?.failureType;
    const skipped = data.skip !== undefined && data.skip !== false;
    if (data.details?.type === 'suite' && !skipped && failure !== 'hookFailed') continue; // its tests tell
    if (wanted !== null && data.skip === 'test name does not match pattern') continue;
    const title = [...names.slice(0, data.nesting), data.name].join(' > ');
    const id = whole ? file : `${file}::${title}`;
    if (!isWanted(id)) continue;
    const status = whole && type === 'test:fail' ? 'error' : statusOf(type, data);
    const message = status === 'skipped' ? String(data.skip === true ? '' : data.skip) : messageOf(data.details?.error);
    const seconds = (data.details?.duration_ms ?? 0) / 1000;
    const line = `${JSON.stringify({ id, status, seconds, message: message.slice(0, MESSAGE) })}\n`;
    digest.update(line);
    count += 1;
    yield line;
  }
  writeSync(1, `\nbendcoder-seal ${count} ${digest.digest('hex')}\n`);
}
