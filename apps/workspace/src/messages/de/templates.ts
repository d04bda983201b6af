import { icu, type Translation } from '../../lib/texts.ts'
import type { templateMessages as english, templateRefusals as englishRefusals } from '../templates.ts'

export const templateMessages: Translation<typeof english> = {
  title: 'Vorlagen',
  description: 'Tabellen mit Ansichten, Formularen und Beispielen. Alles lässt sich später ändern.',
  use: 'Vorlage verwenden',
  useNamed: (name) => `Vorlage verwenden: ${name}`,
  tables: 'Tabellen',
  showSql: 'SQL anzeigen',
  sqlOf: (name) => `SQL von ${name}`,
  fromFile: 'Aus einer Datei',
  fromFileDetail: 'Eine Vorlage, die auf diesem oder einem anderen Server exportiert wurde.',
  chooseFile: 'Datei wählen',
  notATemplate: 'Diese Datei ist keine Vorlage.',
  tooLarge: 'Eine Vorlage hat höchstens 1 MB.',
  offline: 'Vorlagen brauchen eine Verbindung.',
  onlyAdmins: 'Nur Inhaber und Admins des Arbeitsbereichs können Vorlagen verwenden.',
  notFetched: 'Die Vorlagen kamen nicht an. Prüfen Sie die Verbindung.',
  retry: 'Erneut versuchen',
  fetching: 'Vorlagen werden geladen',
  creating: (name) => `${name} wird angelegt`,
  creatingDetail: 'Tabellen, Ansichten und Beispiele',
  arriving: 'Angelegt. Kommt auf dieses Gerät',
  automationsOff: (automations) =>
    icu(
      '{automations, plural, one {# Automation ist aus. Prüfen Sie sie, bevor Sie sie einschalten.} other {# Automationen sind aus. Prüfen Sie sie, bevor Sie sie einschalten.}}',
      {
        automations,
      },
    ),
  slow: 'Das dauert länger als sonst. Die Tabellen sind angelegt und erscheinen auf der Startseite.',

  loaded: 'Geladene Vorlagen',
  samples: (records) =>
    icu('{records, plural, =0 {Keine Beispieldatensätze} one {# Beispieldatensatz} other {# Beispieldatensätze}}', {
      records,
    }),
  sampleNotice: 'Dieser Arbeitsbereich enthält Beispieldaten',
  sampleOf: (names) => `Aus ${names}`,
  removeSamples: 'Beispiele entfernen',
  removeSamplesOf: (name) => `Beispiele von ${name} entfernen`,
  removeTemplate: 'Vorlage entfernen',
  removeTemplateOf: (name) => `Vorlage ${name} entfernen`,
  manage: 'Verwalten',
  removeSamplesQuestion: 'Beispieldatensätze entfernen?',
  removeSamplesDetail: 'Sie werden für alle gelöscht, auch geänderte. Ihre eigenen Einträge bleiben.',
  removeTemplateQuestion: 'Vorlage entfernen?',
  removeTemplateDetail:
    'Beispiele und Tabellen werden für alle gelöscht. Tabellen mit anderen Einträgen bleiben, ebenso Tabellen, auf die diese verweisen.',
  samplesRemoved: (records) =>
    icu('{records, plural, one {# Beispieldatensatz entfernt} other {# Beispieldatensätze entfernt}}', { records }),
  removed: (tables) => icu('{tables, plural, one {# Tabelle entfernt} other {# Tabellen entfernt}}', { tables }),
  kept: (tables) => `Diese Tabellen bleiben, weil sie andere Einträge enthalten: ${tables}`,

  exportTitle: 'Als Vorlage exportieren',
  exportDetail:
    'Speichert die in diesem Arbeitsbereich angelegten Tabellen mit Ansichten, Checklisten und Automationen als Datei. Sie enthält keine Benutzer, Kommentare oder E-Mail-Adressen.',
  withRecords: 'Mit Einträgen',
  withRecordsDetail: 'Bis zu 2.000. Prüfen Sie sie, bevor Sie die Datei weitergeben.',
  export: 'Exportieren',
  exported: 'Exportiert',
  leftOut: 'Nicht enthalten',
  leftOutReasons: {
    field: 'ein Feld, das Vorlagen nicht beschreiben können',
    rule: 'Vorgabewert oder Grenzen eines Feldes',
    access: 'geänderte Zugriffsregeln; in der Vorlage sehen nur Ersteller, Inhaber und Admins die Einträge',
    view: 'eine Ansicht, die nach einem Eintrag oder Benutzer filtert',
    dashboard: 'ein Dashboard über andere Tabellen, oder mit einem Filter nach einem Eintrag oder Benutzer',
    transition: 'Schritte, die von einer Funktion abhängen',
    automation:
      'eine Automation, die einen Eintrag, einen Benutzer, eine Adresse oder ein nicht enthaltenes Feld nennt',
    webhook: 'Adresse und Geheimnisse ihres Webhooks',
  },
}

export const templateRefusals: Translation<typeof englishRefusals> = {
  unreachable:
    'Der Server hat nicht geantwortet. Erscheinen die Tabellen auf der Startseite, wurde die Vorlage geladen.',
  'people.not_admin': 'Nur Inhaber und Admins des Arbeitsbereichs können Vorlagen verwenden.',
  'template.version': 'Die Vorlage ist für eine andere Version von Holdfast.',
  'template.size': 'Eine Vorlage hat höchstens 1 MB.',
  'template.limit': 'Die Vorlage ist zu groß, oder der Arbeitsbereich hat schon 50 geladene Vorlagen.',
  'template.automation':
    'Eine Automation der Vorlage passt nicht, schreibt an eine Adresse, die nur Inhaber eingeben dürfen, oder wäre mehr als die 50, die ein Arbeitsbereich haben kann.',
  'template.not_found': 'Die Vorlage wurde schon entfernt.',
  'template.no_tables':
    'Dieser Arbeitsbereich hat keine eigenen Tabellen. Mit SQL angelegte Tabellen lassen sich nicht exportieren.',
  'template.too_many_records': 'Der Arbeitsbereich hat mehr als 2.000 Einträge. Exportieren Sie ohne Einträge.',
  'template.used': 'Etwas anderes in der Datenbank verwendet diese Tabellen.',
  'new_table.limit': 'In einem Arbeitsbereich lassen sich bis zu 100 Tabellen anlegen.',
  'new_table.busy': 'Jemand schreibt gerade in eine der Tabellen. Versuchen Sie es gleich noch einmal.',
}
