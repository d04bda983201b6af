import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const deviceCheckMessages = inLanguages('deviceCheckMessages', {
  title: 'Check this device',
  detail:
    'Compares every row on this device with what the server has for you. Nothing is changed, and changes that wait to be sent are left out.',
  check: 'Check this device',
  again: 'Check again',
  cancel: 'Cancel',
  offline: 'This needs a connection.',
  phases: { server: 'The server reads', device: 'Comparing this device', rows: 'Looking at rows again' },
  progress: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)}`,
  equal: 'This device has exactly what the server has for you',
  equalDetail: (rows: number, tables: number) =>
    icu('{rows, plural, one {# row} other {# rows}} in {tables, plural, one {# table} other {# tables}} compared.', {
      rows,
      tables,
    }),
  pending: (rows: number) =>
    icu('{rows, plural, one {# row} other {# rows}} with changes that are not sent yet left out.', { rows }),
  different: (rows: number) =>
    icu(
      '{rows, plural, one {# row} other {# rows}} on this device {rows, plural, one {differs} other {differ}} from the server',
      { rows },
    ),
  inTable: (table: string, missing: number, extra: number, different: number) =>
    `${table}: ${[
      ...(missing > 0 ? [`${formatCount(missing)} missing here`] : []),
      ...(extra > 0 ? [`${formatCount(extra)} only here`] : []),
      ...(different > 0 ? [`${formatCount(different)} with other values`] : []),
    ].join(', ')}`,
  more: 'There may be more.',
  notCompared: (table: string) => `${table}: the server cannot decide which rows you may see, so it was not compared.`,
  unsettled: (table: string) => `${table}: changes so fast that it was not compared whole.`,
  details: 'Details',
  repair: 'Repair',
  repairDetail: 'Fetches everything again. Nothing on the server changes.',
  repairing: 'Fetching everything again',
  failed: 'This device could not be checked',
  failures: {
    unreachable: 'The server could not be reached. Try again when there is a connection.',
    unsent: 'Changes wait to be sent. Try again when they are sent.',
    behind: 'The server’s changes do not arrive on this device. Try again in a while, or fetch everything again.',
    busy: 'The server is too busy at the moment. Try again in a few minutes.',
    refused: 'The server does not answer this account. Sign in again, then try once more.',
  },
})
