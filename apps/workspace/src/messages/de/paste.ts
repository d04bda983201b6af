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
  pasteNoRow: 'Dafür gibt es keinen Eintrag: es steht unter dem letzten',
  linkUnknown: (title) => `Kein Eintrag heißt „${title}“`,
  linkAmbiguous: (title) => `Mehrere Einträge heißen „${title}“`,
  changed: (cells) => icu('{cells, plural, one {# Zelle} other {# Zellen}} geändert', { cells }),
  fillNothing: 'Wählen Sie die zu füllenden Zellen aus, beginnend mit der Vorlage',
  pasteNoField: 'Dafür gibt es kein Feld: es steht rechts vom letzten',
  copied: (cells) => icu('{cells, plural, one {# Zelle} other {# Zellen}} kopiert', { cells }),
  editTooMany: (max) => `Höchstens ${formatCount(max)} Zeilen lassen sich auf einmal ändern`,
}
