import { formatBytes, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type {
  publicFormMessages as englishPublicForm,
  publishMessages as englishPublish,
  publishRefusals as englishRefusals,
} from '../public-form.ts'

export const publishMessages: Translation<typeof englishPublish> = {
  open: 'Formular teilen',
  title: 'Dieses Formular teilen',
  lead: 'Wer den Link hat, kann es ohne Konto ausfüllen. Aus jeder Antwort wird ein Eintrag.',
  name: 'Titel',
  nameMissing: 'Geben Sie einen Titel ein',
  intro: 'Einleitung',
  thanks: 'Dank',
  thanksDefault: 'Danke. Ihre Antwort wurde gesendet.',
  leftOut: (labels) =>
    `Nicht gefragt, weil Besucher andere Einträge nicht sehen und nicht unterschreiben können: ${labels}`,
  none: 'Dieses Formular hat keine Frage, die Besucher beantworten können.',
  publish: 'Link erstellen',
  update: 'Formular aktualisieren',
  updated: 'Das öffentliche Formular ist aktuell',
  close: 'Nicht mehr teilen',
  closed: 'Der Link nimmt keine Antworten mehr an',
  closedNote: 'Dieses Formular ist geschlossen. Aktualisieren Sie es, um es wieder zu öffnen.',
  answers: (count) => icu('{count, plural, =0 {Noch keine Antworten} one {# Antwort} other {# Antworten}}', { count }),
  captcha: 'Prüfung gegen Bots',
  captchaOf: (kind) =>
    kind === 'work'
      ? 'Das Gerät des Besuchers rechnet vor dem Senden einige Sekunden. Keine andere Firma ist beteiligt.'
      : `Besucher bestehen vor dem Senden eine Prüfung von ${kind === 'hcaptcha' ? 'hCaptcha' : 'Cloudflare Turnstile'}.`,
  filesMax: 'Dateien je Frage',
  filesMegabytes: 'MB je Datei',
  filesPhotos: 'Nur Fotos',
  done: 'Fertig',
}

export const publishRefusals: Translation<typeof englishRefusals> = {
  'public_form.definition': 'Ein öffentliches Formular hat einen Titel von bis zu 120 Zeichen und 1 bis 60 Fragen.',
  'public_form.field':
    'Das Formular fragt nach einem Feld, das Besucher nicht ausfüllen können. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'public_form.files': 'Eine Frage nimmt bis zu 10 Dateien von bis zu 25 MB an.',
  'public_form.missing':
    'Jeder Eintrag braucht einen Wert, nach dem dieses Formular nicht fragt. Nehmen Sie das Feld in das Formular auf.',
  'public_form.table': 'Öffentliche Formulare gibt es nur für Tabellen, die in diesem Arbeitsbereich angelegt wurden.',
  'public_form.view': 'Dieses Formular gibt es nicht mehr.',
  'public_form.limit': 'Dieser Arbeitsbereich hat 50 öffentliche Formulare. Beenden Sie zuerst das Teilen von einem.',
  'public_form.busy': 'Die Tabelle wird gerade benutzt. Versuchen Sie es noch einmal.',
}

export const publicFormMessages: Translation<typeof englishPublicForm> = {
  loading: 'Das Formular wird geöffnet',
  gone: 'Dieses Formular gibt es nicht',
  goneDetail: 'Bitten Sie um einen neuen Link.',
  closed: 'Dieses Formular ist geschlossen',
  closedDetail: 'Es nimmt keine Antworten mehr an.',
  failed: 'Das Formular konnte nicht geöffnet werden',
  failedDetail: 'Verbinden Sie sich einmal mit dem Internet, um es zu öffnen. Danach geht es auch offline.',
  tryAgain: 'Noch einmal versuchen',
  durationExample: 'Stunden und Minuten, etwa 1:30',
  locationExample: 'Breite und Länge, etwa 52.52, 13.405',
  required: 'Pflichtfeld',
  missing: 'Füllen Sie dieses Feld aus',
  number: 'Geben Sie eine Zahl ein',
  whole: 'Geben Sie eine ganze Zahl ein',
  send: 'Senden',
  sent: 'Gesendet',
  stored: 'Auf diesem Gerät gespeichert',
  storedDetail: 'Gesendet wird, sobald Sie online sind und diese Seite offen ist.',
  storedUnchecked:
    'Gesendet wird, sobald Sie online sind, diese Seite offen ist und die Prüfung gegen Bots bestanden ist.',
  check: 'Noch ein Schritt: Bestätigen Sie, dass Sie ein Mensch sind',
  insecure: 'Dieses Formular lässt sich nur über https senden. Öffnen Sie es mit einem Link, der mit https beginnt.',
  fileMissing: 'Fügen Sie eine Datei hinzu',
  fileRules: ({ max, megabytes, kinds }) =>
    kinds === 'photos'
      ? icu('{max, plural, one {Ein Foto} other {Bis zu # Fotos}}.', { max })
      : icu('{max, plural, one {Eine Datei} other {Bis zu # Dateien}} von bis zu {megabytes} MB.', { max, megabytes }),
  fileTooLarge: (name, megabytes) => `${name} ist größer als ${megabytes} MB.`,
  fileEmpty: (name) => `${name} ist leer.`,
  fileNoPhoto: (name) => `${name} ist kein Foto, das dieser Browser lesen kann.`,
  filesTooMany: (max) => icu('{max, plural, one {Es passt nur eine Datei.} other {Es passen nur # Dateien.}}', { max }),
  fileLost: (name) => `Dieser Browser hat ${name} nicht mehr. Fügen Sie die Datei noch einmal hinzu.`,
  sendingFiles: 'Dateien werden gesendet',
  bytesSent: (sent, total) => `${formatBytes(sent)} von ${formatBytes(total)}`,
  waiting: (count) =>
    icu(
      '{count, plural, one {# Antwort ist} other {# Antworten sind}} auf diesem Gerät gespeichert und noch nicht gesendet.',
      { count },
    ),
  waitingLong: (count) =>
    `${formatCount(count)} Antworten warten schon. Verbinden Sie sich mit dem Internet, um sie zu senden.`,
  refused: 'Eine Antwort wurde nicht angenommen',
  discard: 'Verwerfen',
  edit: 'Bearbeiten',
  tooMany: 'Dieses Formular wurde zu oft gesendet. Es wird später noch einmal versucht.',
  another: 'Weitere Antwort senden',
  notStored:
    'Dieser Browser kann die Antwort nicht speichern. Verbinden Sie sich mit dem Internet und senden Sie noch einmal.',
}
