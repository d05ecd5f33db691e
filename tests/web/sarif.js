// Validates files against the SARIF 2.1.0 schema. A file that is broken on purpose must be refused.
'use strict';
const fs = require('fs');
const Ajv = require('ajv-draft-04').default;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
require('ajv-formats').default(ajv);
const schema = require.resolve('@microsoft/jest-sarif/package.json').replace('package.json', 'lib/schemas/sarif-2.1.0-rtm.5.json');
const valid = ajv.compile(JSON.parse(fs.readFileSync(schema, 'utf8')));
let failures = 0;
for (const file of process.argv.slice(2)) {
  const log = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (!valid(log)) {
    failures++;
    console.log('FAIL:', file, valid.errors.slice(0, 5));
  }
  for (const result of log.runs[0].results) result.kind = 'guess';
  if (log.runs[0].results.length && valid(log)) {
    failures++;
    console.log('FAIL:', file, 'a wrong kind was not refused');
  }
}
process.exit(failures ? 1 : 0);
