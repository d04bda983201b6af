import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { deviceCheckMessages as english } from '../device-check.ts'

export const deviceCheckMessages: Translation<typeof english> = {
  title: 'Dieses Gerät prüfen',
  detail:
    'Vergleicht jede Zeile auf diesem Gerät mit dem, was der Server für Sie hat. Nichts wird geändert; Änderungen, die noch zu senden sind, bleiben außen vor.',
  check: 'Dieses Gerät prüfen',
  again: 'Noch einmal prüfen',
  cancel: 'Abbrechen',
  offline: 'Das braucht eine Verbindung.',
  phases: {
    server: 'Der Server liest',
    device: 'Dieses Gerät wird verglichen',
    rows: 'Zeilen werden noch einmal angesehen',
  },
  progress: (done, total) => `${formatCount(done)} von ${formatCount(total)}`,
  equal: 'Dieses Gerät hat genau das, was der Server für Sie hat',
  equalDetail: (rows, tables) =>
    icu(
      '{rows, plural, one {# Zeile} other {# Zeilen}} in {tables, plural, one {# Tabelle} other {# Tabellen}} verglichen.',
      {
        rows,
        tables,
      },
    ),
  pending: (rows) =>
    icu('{rows, plural, one {# Zeile} other {# Zeilen}} mit noch nicht gesendeten Änderungen ausgelassen.', { rows }),
  different: (rows) =>
    icu(
      '{rows, plural, one {# Zeile auf diesem Gerät ist} other {# Zeilen auf diesem Gerät sind}} anders als auf dem Server',
      { rows },
    ),
  inTable: (table, missing, extra, different) =>
    `${table}: ${[
      ...(missing > 0 ? [icu('{missing, plural, one {# fehlt} other {# fehlen}} hier', { missing })] : []),
      ...(extra > 0 ? [`${formatCount(extra)} nur hier`] : []),
      ...(different > 0 ? [`${formatCount(different)} mit anderen Werten`] : []),
    ].join(', ')}`,
  more: 'Es können noch mehr sein.',
  notCompared: (table) =>
    `${table}: der Server kann nicht entscheiden, welche Zeilen Sie sehen dürfen; darum wurde nicht verglichen.`,
  unsettled: (table) => `${table}: ändert sich so schnell, dass nicht alles verglichen wurde.`,
  details: 'Einzelheiten',
  repair: 'In Ordnung bringen',
  repairDetail: 'Holt alles neu. Auf dem Server ändert sich nichts.',
  repairing: 'Alles wird neu geholt',
  failed: 'Dieses Gerät konnte nicht geprüft werden',
  failures: {
    unreachable: 'Der Server war nicht zu erreichen. Versuchen Sie es wieder, wenn eine Verbindung da ist.',
    unsent: 'Änderungen sind noch zu senden. Versuchen Sie es wieder, wenn sie gesendet sind.',
    behind:
      'Was der Server hat, kommt auf diesem Gerät nicht an. Versuchen Sie es später wieder oder holen Sie alles neu.',
    busy: 'Der Server hat gerade keine Zeit dafür. Versuchen Sie es in einigen Minuten wieder.',
    refused: 'Der Server antwortet diesem Konto nicht. Melden Sie sich neu an und versuchen Sie es dann wieder.',
  },
}
