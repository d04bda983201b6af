import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { syncMessages as english } from '../sync.ts'

export const syncMessages: Translation<typeof english> = {
  tabOutbox: 'Zu senden',
  tabDevice: 'Dieses Gerät',

  outboxEmpty: 'Alles ist gesendet',
  outboxEmptyDetail: 'Eine Änderung, die Sie machen, steht hier, bis der Server sie angenommen hat.',
  outboxLead: (changes) =>
    icu(
      '{changes, plural, one {# Änderung} other {# Änderungen}} {changes, plural, one {ist} other {sind}} auf diesem Gerät und noch nicht gesendet. Was zusammen geändert wurde, wird auch zusammen angenommen oder nicht, in dieser Reihenfolge.',
      { changes },
    ),
  outboxPaused: 'Der Abgleich ist angehalten. Setzen Sie ihn fort, um diese Änderungen zu senden.',
  outboxOffline: 'Keine Verbindung. Sie werden von selbst gesendet, wenn sie wieder da ist.',
  uploadFailed: 'Der letzte Versuch zu senden hat den Server nicht erreicht',
  uploadFailedDetail: 'Holdfast versucht es automatisch noch einmal.',
  created: (noun) => `${capitalize(noun)} anlegen`,
  changed: (noun, fields) => `${fields} von ${capitalize(noun)} ändern`,
  deleted: (noun) => `${capitalize(noun)} löschen`,
  fields: (names) =>
    names.length <= 3
      ? joinWords(names)
      : `${names.slice(0, 2).join(', ')} und ${formatCount(names.length - 2)} weitere Felder`,

  attentionEmpty: 'Nichts ist zu klären',
  attentionEmptyDetail:
    'Wenn der Server eine Änderung nicht annimmt, bleibt sie mit dem Grund hier, bis Sie entscheiden.',
  incompleteTitle: 'ist auf diesem Gerät nicht vollständig',
  incompleteLabel: (table) => `Auf diesem Gerät nicht vollständig: ${table}`,
  notAccepted: 'Ihre Änderung wurde nicht angenommen',
  serverSaid: 'Der Server sagt:',
  plainWords: 'Das heißt:',
  field: 'Feld',
  yoursAt: (clock) => `Ihres (${clock})`,
  onServer: 'Jetzt auf dem Server',
  emptyValue: '(leer)',
  editAndSend: 'Bearbeiten und noch einmal senden',
  sendAgain: 'Noch einmal senden',
  discard: 'Verwerfen',
  keepMine: 'Meines behalten',
  keepTheirs: 'Das andere behalten',
  keepBoth: 'Beides behalten',
  keptBoth: 'Mit beiden Texten gesendet',
  cancel: 'Abbrechen',
  openRecord: 'Eintrag öffnen',
  back: 'Alles, was zu klären ist',
  discardTitle: 'Diese Änderung verwerfen?',
  discardDetail: 'Ihre Werte werden von diesem Gerät entfernt. Der Eintrag bleibt, wie er auf dem Server ist.',
  discarded: 'Änderung verworfen',
  sentAgain: 'Noch einmal gesendet. Der Server antwortet, sobald er erreicht ist.',
  heldTitle: (count) =>
    icu('{count, plural, one {# spätere Änderung wartet} other {# spätere Änderungen warten}} auf Ihre Entscheidung', {
      count,
    }),
  sentPartly: 'Ohne das gesendet. Der Server antwortet, sobald er erreicht ist.',
  dropFields: (names) => `Ohne ${joinWords(names)} senden`,
  exportAsFile: 'Als Datei speichern',
  exportFile: (at) => `nicht-angenommen-${at.toISOString().slice(0, 10)}.csv`,
  exportHeader: ['Zeit', 'Stand', 'Grund', 'Änderung', 'Tabelle', 'Kennung', 'Eintrag', 'Feld', 'Ihr Wert'],
  exportRefused: 'Nicht angenommen',
  exportHeld: 'Wartet auf die davor',
  exportKinds: { PUT: 'Anlegen', PATCH: 'Ändern', DELETE: 'Löschen' },
  moreValues: (count) => icu('und {count, plural, one {# weiteres Feld} other {# weitere Felder}}', { count }),

  groupTitle: (count, many) => `${formatCount(count)} Änderungen von ${capitalize(many)} –`,
  groupNotAccepted: 'nicht angenommen, alle aus demselben Grund',
  groupLabel: (count, many) => `Nicht angenommen: ${formatCount(count)} Änderungen von ${capitalize(many)}`,
  decideAlone: 'Einzeln klären',
  decideOne: (title) => `${title} einzeln klären`,
  editMany: (count) => `Bearbeiten und alle ${formatCount(count)} senden`,
  editManyTitle: (count) => `${formatCount(count)} Änderungen bearbeiten`,
  editManyLead:
    'Ein Wert, den Sie eingeben, wird für jeden Eintrag gesendet. Ein Feld, das Sie lassen, behält in jedem seinen Wert.',
  severalValues: 'Jeder behält seinen Wert',
  sendMany: (count) => `Alle ${formatCount(count)} noch einmal senden`,
  sentMany: (count) =>
    icu(
      '{count, plural, one {# Änderung} other {# Änderungen}} noch einmal gesendet. Der Server antwortet, sobald er erreicht ist.',
      { count },
    ),
  keepMineMany: (count) => `In allen ${formatCount(count)} meines behalten`,
  keepMineSome: (count) => `In ${formatCount(count)} meines behalten`,
  notKeepable: (count) =>
    icu(
      'In {count, plural, one {# Eintrag} other {# Einträgen}} lässt sich Ihres nicht behalten: Die Regeln erlauben diese Änderung nicht mehr.',
      { count },
    ),
  keepTheirsMany: (count) => `In allen ${formatCount(count)} das andere behalten`,
  discardMany: (count) => `Alle ${formatCount(count)} verwerfen`,
  discardManyTitle: (count) => `${formatCount(count)} Änderungen verwerfen?`,
  discardManyDetail: 'Ihre Werte werden von diesem Gerät entfernt. Die Einträge bleiben, wie sie auf dem Server sind.',
  discardedMany: (count) => icu('{count, plural, one {# Änderung} other {# Änderungen}} verworfen', { count }),
  details: 'Einzelheiten',
  copy: 'Kopieren',
  copied: 'Kopiert',
  itemTitle: 'Vom Server nicht angenommen',
  cardLabel: (noun, title) => `Nicht angenommen: ${capitalize(noun)} ${title}`,
  recordWords: (noun, title) => `${capitalize(noun)} „${title}“ –`,
  otherChanges: (count) =>
    icu(
      '{count, plural, one {# Änderung, die dazugehört, wird} other {# Änderungen, die dazugehören, werden}} mit ihr gesendet oder verworfen',
      { count },
    ),
  yoursIsDelete: () => 'Ihre Änderung war, diesen Eintrag zu löschen.',
  notThere: '(nicht da oder für Sie nicht sichtbar)',
  editTitle: (noun, title) => `${capitalize(noun)} „${title}“ bearbeiten`,
  editSend: 'Noch einmal senden',
  editHeld: (record) => `${record}, wartet`,
  otherFields: (count) => icu('{count, plural, one {# anderes Feld} other {# andere Felder}} des Eintrags', { count }),
  leftOut: 'Wird nicht gesendet. Es bleibt, wie es auf dem Server ist.',
  sendThis: 'Dieses Feld senden',
  sendField: (field) => `${field} senden`,
  discardNeeding: (count) =>
    icu(
      '{count, plural, one {# spätere Änderung braucht den Eintrag, der dann nicht angelegt wird, und wird auch verworfen.} other {# spätere Änderungen brauchen den Eintrag, der dann nicht angelegt wird, und werden auch verworfen.}}',
      { count },
    ),
  discardFree: (count) =>
    icu(
      '{count, plural, one {# spätere Änderung, die darauf wartet, wird gesendet.} other {# spätere Änderungen, die darauf warten, werden gesendet.}}',
      { count },
    ),
  discardWithHeld: 'Diese auch verwerfen',
  recordsGone: (count) => `${formatCount(count)} dieser Einträge sind nicht mehr auf diesem Gerät`,
  recordGone: 'Dieser Eintrag ist nicht mehr auf diesem Gerät',
  recordGoneDetail:
    'Jemand anderes hat ihn gelöscht, oder Sie dürfen ihn nicht mehr sehen. Kopieren Sie, was Sie brauchen, und verwerfen Sie dann die Änderung.',
  showMore: (count) => `Mehr zeigen (${formatCount(count)})`,
  gone: 'Das ist schon geklärt',
  goneDetail: 'Vielleicht wurde es in einem anderen Tab entschieden.',

  storageTitle: 'Speicher',
  storageIn: 'Liegt in',
  storageKinds: {
    opfs: 'Eigene Dateien dieses Browsers (OPFS)',
    indexeddb: 'IndexedDB dieses Browsers',
    memory: 'Nur im Arbeitsspeicher: weg, wenn der Tab geschlossen wird',
  },
  used: 'Von dieser Seite belegt',
  usedOf: (used, quota) => `${used} von erlaubten ${quota}`,
  persistence: 'Vor dem Aufräumen geschützt',
  persistent: 'Ja, der Browser behält es',
  notPersistent: 'Nein, der Browser darf es löschen, wenn Platz fehlt',
  askPersist: 'Schützen',
  persistRefused: 'Der Browser hat abgelehnt. Es hilft, die App zu installieren oder ein Lesezeichen zu setzen.',
  lastSync: 'Zuletzt mit dem Server abgeglichen',
  rows: 'Zeilen',
  changesWaiting: 'Noch nicht gesendete Änderungen',
  device: 'Kennung des Geräts',
  engine: 'Programm für den Abgleich',
  resyncTitle: 'Alles neu holen',
  resyncDetail: 'Entfernt die Zeilen von diesem Gerät und holt sie neu. Auf dem Server ändert sich nichts.',
  resync: 'Neu holen',
  resyncBlocked: (count) =>
    icu('{count, plural, one {# Änderung muss} other {# Änderungen müssen}} zuerst gesendet oder verworfen werden.', {
      count,
    }),
  resyncStarted: 'Alles wird neu geholt',
  wipeTitle: 'Abmelden und alles von diesem Gerät entfernen',
  wipeDetail:
    'Für ein Gerät, das andere benutzen. Zeilen, nicht gesendete Änderungen und Einstellungen dieses Kontos werden entfernt.',
  wipe: 'Abmelden und entfernen',

  signOutTitle: 'Abmelden',
  signOutClean:
    'Ihre Arbeit ist auf dem Server gespeichert. Ihre Daten bleiben auf diesem Gerät, gesperrt bis zur nächsten Anmeldung.',
  signOutCleanRemoved: 'Ihre Arbeit ist auf dem Server gespeichert. Ihre Daten werden von diesem Gerät entfernt.',
  signOutCannotLock: 'Dieses Gerät kann Ihre Daten nicht sperren. Beim Abmelden werden sie entfernt.',
  signOutUnsent: (count) =>
    icu(
      '{count, plural, one {# Änderung auf diesem Gerät ist} other {# Änderungen auf diesem Gerät sind}} noch nicht gesendet.',
      { count },
    ),
  signOutAttention: (count) =>
    icu(
      '{count, plural, one {# nicht angenommene Änderung wartet} other {# nicht angenommene Änderungen warten}} auf Ihre Entscheidung.',
      { count },
    ),
  signOutDrafts: (count) =>
    icu(
      '{count, plural, one {# Entwurf ist nur auf diesem Gerät und wird} other {# Entwürfe sind nur auf diesem Gerät und werden}} gelöscht, wenn Sie Ihre Daten entfernen oder nicht Gesendetes löschen.',
      { count },
    ),
  signOutSendNow: 'Jetzt senden, dann abmelden',
  signOutSending: (count) => icu('{count, plural, one {# wird} other {# werden}} gesendet', { count }),
  signOutKeep: 'Sperren und abmelden',
  signOutKeepDetail:
    'Gesperrte Daten sind auf diesem Gerät verschlüsselt. Ihr Passwort oder eine Anmeldung öffnet sie. Ihre Änderungen werden bei der nächsten Anmeldung gesendet.',
  signOutRemoveDetail:
    'Nicht Gesendetes wird mit Ihren Daten gelöscht. Senden Sie es zuerst, oder bestätigen Sie den Verlust.',
  signOutDiscard: 'Nicht Gesendetes löschen und abmelden',
  loseTitle: 'Nicht Gesendetes löschen?',
  lose: 'Löschen und abmelden',
  loseBack: 'Zurück',
  lostForGood: 'Das ist nur auf diesem Gerät und geht endgültig verloren:',
  lostChanges: (count) =>
    icu('{count, plural, one {# Änderung, die nicht gesendet ist} other {# Änderungen, die nicht gesendet sind}}', {
      count,
    }),
  lostRefused: (count) =>
    icu(
      '{count, plural, one {# nicht angenommene Änderung} other {# nicht angenommene Änderungen}} ohne Entscheidung',
      {
        count,
      },
    ),
  lostFiles: (count) =>
    icu('{count, plural, one {# Datei, die nicht gesendet ist} other {# Dateien, die nicht gesendet sind}}', { count }),
  lostDrafts: (count) => icu('{count, plural, one {# Entwurf} other {# Entwürfe}}', { count }),
  signOutGuest: 'Sie sind Gast',
  signOutGuestDetail:
    'In dieses Konto kommt niemand mehr hinein, auch Sie nicht; Ihre Zeilen werden deshalb von diesem Gerät entfernt. Behalten Sie es zuerst mit einer E-Mail-Adresse oder einem anderen Konto.',
  signOutGuestKeep: 'Konto behalten',
  signOutSimple: 'Abmelden',
  signOutShared: 'Meine Daten von diesem Gerät entfernen',
  signOutNotSent: 'Sie konnten eben nicht gesendet werden.',
}

function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} und ${words.at(-1) ?? ''}`
}
