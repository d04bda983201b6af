import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { recordMessages as english } from '../record.ts'

export const recordMessages: Translation<typeof english> = {
  nothingToUndo: 'In diesem Tab ist nichts rückgängig zu machen',
  nothingToRedo: 'Nichts zu wiederholen',
  undone: (label, left) => `Rückgängig gemacht: ${label}${leftAlone(left)}`,
  redone: (label, left) => `Wiederholt: ${label}${leftAlone(left)}`,
  tooMany: (count, max) =>
    `${formatCount(count)} Änderungen auf einmal sind zu viele; höchstens ${formatCount(max)} gehen zusammen`,
  changedTitle: 'Inzwischen geändert',
  changedDetail: (count, label) =>
    icu(
      '{count, plural, one {# Eintrag von „{label}“ wurde} other {# Einträge von „{label}“ wurden}} inzwischen geändert. Wenn Sie weitergehen, wird die spätere Änderung überschrieben.',
      { count, label },
    ),
  undoAnyway: 'Trotzdem rückgängig machen',
  redoAnyway: 'Trotzdem wiederholen',
  keepLater: 'Spätere Änderung behalten',
  notDone: (label, reason) => `Nicht gespeichert (${label}). ${reason}`,
  notUndone: (label, reason) => `${label} lässt sich nicht zurücknehmen. ${reason}`,
  notRedone: (label, reason) => `${label} lässt sich nicht wiederholen. ${reason}`,
  undoLaterFirst: 'Danach wurde anderes geändert. Machen Sie das zuerst rückgängig.',
  undo: 'Rückgängig',
  anUndo: 'Rückgängigmachen',
  aRedo: 'Wiederholen',

  changeOf: (field, count, _one, many) =>
    count === 1
      ? `Änderung von ${field}`
      : icu('Änderung von {field} in {count, number} {others}', { field, count, others: capitalize(many) }),
  pasteOf: (cells) => icu('Einfügen von {cells, plural, one {# Zelle} other {# Zellen}}', { cells }),
  clearOf: (cells) => icu('Leeren von {cells, plural, one {# Zelle} other {# Zellen}}', { cells }),
  cellsOf: (cells) => icu('Änderung von {cells, plural, one {# Zelle} other {# Zellen}}', { cells }),
  fillOf: (cells) => icu('Ausfüllen von {cells, plural, one {# Zelle} other {# Zellen}}', { cells }),
  newOf: (noun) => `Neu: ${capitalize(noun)}`,
  deletionOf: (count, one, many) => `Löschen von ${formatCount(count)} ${capitalize(count === 1 ? one : many)}`,
  deleted: (count, one, many) => `${formatCount(count)} ${capitalize(count === 1 ? one : many)} gelöscht`,

  panel: (noun) => `Eintrag: ${capitalize(noun)}`,
  close: 'Eintrag schließen',
  fullPage: 'Auf eigener Seite öffnen',
  backToTable: (table) => `Zurück zu ${table}`,
  previous: 'Voriger Eintrag',
  next: 'Nächster Eintrag',
  more: 'Mehr',
  copyLink: 'Link kopieren',
  copied: 'Kopiert',
  delete: (noun) => `${capitalize(noun)} löschen`,
  fields: 'Felder',
  linked: 'Verknüpfte Einträge',
  comments: 'Kommentare',
  whoAndWhen: 'Personen und Daten',
  system: 'Automatisch',
  tabs: 'Teile des Eintrags',

  savedHere: (time) => (time === undefined ? 'Auf diesem Gerät gespeichert' : `Auf diesem Gerät gespeichert ${time}`),
  notSent: 'noch nicht gesendet',
  sending: 'wird gesendet',
  confirming: 'angenommen, wird bestätigt',
  accepted: 'vom Server angenommen',
  synced: 'Auf diesem Gerät und auf dem Server',
  heldWords: 'Wartet auf die Änderung davor',
  rejectedWords: 'Vom Server nicht angenommen',

  rejectedTitle: 'Der Server hat Ihre Änderung nicht angenommen',
  heldTitle: 'Diese Änderung wartet auf eine, die nicht angenommen wurde',
  decide: 'Jetzt klären',
  yourFields: (names) => `Ihre Werte von ${names} bleiben erhalten.`,

  goneTitle: 'Dieser Eintrag ist nicht auf diesem Gerät',
  goneDetail: 'Er wurde gelöscht, oder Sie dürfen ihn nicht mehr sehen.',
  commentUnsent: 'Ihr Kommentar wurde nicht gesendet',
  goneWithChange: 'Ihre Änderung daran finden Sie unter Abgleich.',

  draft: 'Entwurf',
  draftLead: () => 'Das ist ein Entwurf auf diesem Gerät. Er wird ein Eintrag, wenn Sie ihn anlegen.',
  create: (noun) => `${capitalize(noun)} anlegen`,
  createAnyway: 'Trotzdem anlegen',
  discardDraft: 'Entwurf verwerfen',
  missing: (names) => `Es fehlt noch: ${names}`,
  newTitle: (noun) => `Neu: ${capitalize(noun)}`,

  readOnly: 'Sie können diese Tabelle lesen, aber nicht ändern.',
  noLinks: 'Kein anderer Eintrag ist mit diesem verknüpft.',
  showAll: (count) => `Alle ${formatCount(count)} zeigen`,
  via: (label) => `über ${label}`,

  commentLabel: 'Kommentar',
  commentPlaceholder: 'Kommentar schreiben',
  addComment: 'Kommentar senden',
  noComments: 'Noch keine Kommentare',
  noCommentsDetail: 'Schreiben Sie den ersten Kommentar. Er wird automatisch gesendet.',
  commentDeleted: 'Dieser Kommentar wurde gelöscht.',
  commentEdited: 'bearbeitet',
  commentTooLong: (max) => `Höchstens ${formatCount(max)} Zeichen`,
  you: 'Sie',
  someone: 'Jemand',
  commentBy: (author) => `Kommentar von ${author}`,
  newComment: 'Neuer Kommentar',
}

function leftAlone({ refused, already }: { readonly refused: number; readonly already: number }): string {
  const parts = [
    refused > 0
      ? icu(
          'Bei {refused, plural, one {# Eintrag} other {# Einträgen}} hatte der Server es nicht angenommen; dort ändert sich nichts.',
          { refused },
        )
      : undefined,
    already > 0
      ? icu('{already, plural, one {# Eintrag hatte} other {# Einträge hatten}} diese Werte schon.', { already })
      : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? '' : `. ${parts.join(' ')}`
}
