import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { pasteMessages as english } from '../paste.ts'

export const pasteMessages: Translation<typeof english> = {
  pasteNothing: 'Es ist nichts zum Einfügen da',
  pasteTooMany: (max) =>
    `Höchstens ${formatCount(max)} Zellen lassen sich auf einmal einfügen. Importieren Sie stattdessen die Datei.`,
  pasteMore: (rows) =>
    icu('{rows, plural, one {# Zeile liegt} other {# Zeilen liegen}} unter dem letzten Eintrag', { rows }),
  pasteMoreDetail: () =>
    'Daraus können neue Einträge werden, oder sie werden ausgelassen. Die anderen Zeilen werden eingefügt.',
  pasteAdd: (rows) => icu('{rows, plural, one {# Eintrag} other {# Einträge}} hinzufügen', { rows }),
  pasteLeave: 'Auslassen',
  pasteFailed: (count, first) =>
    icu(
      '{count, plural, one {# Wert passte nicht und wurde} other {# Werte passten nicht und wurden}} ausgelassen. {first}',
      { count, first },
    ),
  pasteNoField: 'Dafür gibt es kein Feld: es steht rechts vom letzten',
  copied: (cells) => icu('{cells, plural, one {# Zelle} other {# Zellen}} kopiert', { cells }),
  editTooMany: (max) => `Höchstens ${formatCount(max)} Zeilen lassen sich auf einmal ändern`,
}
