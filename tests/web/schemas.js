// schemas.js REPORT-SCHEMA FILE...: validates .json reports and .sarif files. One that is broken on purpose must be refused.
'use strict';
const fs = require('fs');
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const [reportSchema, ...files] = process.argv.slice(2);
const Ajv2020 = require('ajv/dist/2020').default;
const Ajv04 = require('ajv-draft-04').default;
const formats = require('ajv-formats').default;
const ajv04 = new Ajv04({ strict: false, allErrors: true, unicodeRegExp: false });
formats(ajv04);
const sarifSchema = require.resolve('@microsoft/jest-sarif/package.json').replace('package.json', 'lib/schemas/sarif-2.1.0-rtm.5.json');
const sarif = ajv04.compile(read(sarifSchema));
const ajv2020 = new Ajv2020({ strict: false, allErrors: true });
formats(ajv2020);
const report = ajv2020.compile(read(reportSchema));

let failures = 0;
function expect(file, valid, content, wanted) {
  if (valid(content) === wanted) return;
  failures++;
  console.log('FAIL:', file, wanted ? valid.errors.slice(0, 5) : 'a broken copy was not refused');
}
for (const file of files) {
  const content = read(file);
  const isSarif = file.endsWith('.sarif');
  expect(file, isSarif ? sarif : report, content, true);
  const findings = isSarif ? content.runs[0].results : content.races;
  for (const f of findings) f[isSarif ? 'kind' : 'property'] = 'guess';
  if (findings.length) expect(file, isSarif ? sarif : report, content, false);
}
process.exit(failures ? 1 : 0);
