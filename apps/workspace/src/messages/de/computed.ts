import type { FormulaProblem, FormulaType } from '@holdfast/protocol'
import type { Translation } from '../../lib/texts.ts'
import type { computedMessages as english, computedRefusals as refusals } from '../computed.ts'

const TYPES: Readonly<Record<FormulaType, string>> = {
  text: 'Text',
  number: 'Zahl',
  boolean: 'Ja oder Nein',
  date: 'Datum',
  datetime: 'Datum mit Uhrzeit',
}

const HELP: Readonly<Record<string, string>> = {
  if: 'Der Wert, wenn die Bedingung zutrifft, sonst der andere oder leer.',
  switch: 'Das Ergebnis des ersten Falls, der dem Wert gleicht.',
  coalesce: 'Der erste Wert, der nicht leer ist.',
  is_empty: 'Ob es keinen Wert gibt.',
  round: 'Die Zahl mit 0 bis 6 Nachkommastellen.',
  floor: 'Die nächste ganze Zahl darunter.',
  ceiling: 'Die nächste ganze Zahl darüber.',
  abs: 'Die Zahl ohne Vorzeichen.',
  mod: 'Der Rest einer Division; er hat das Vorzeichen des Teilers.',
  min: 'Die kleinste Zahl; leere zählen nicht.',
  max: 'Die größte Zahl; leere zählen nicht.',
  concat: 'Die Werte als ein Text, wie mit &.',
  lower: 'Der Text in Kleinbuchstaben.',
  upper: 'Der Text in Großbuchstaben.',
  trim: 'Der Text ohne Leerzeichen an den Enden.',
  length: 'Die Anzahl der Zeichen.',
  left: 'Die ersten Zeichen.',
  right: 'Die letzten Zeichen.',
  contains: 'Ob der Teil im Text vorkommt.',
  starts_with: 'Ob der Text mit dem Teil beginnt.',
  date: 'Ein Tag.',
  today: 'Der heutige Tag in der Zeitzone des Arbeitsbereichs.',
  now: 'Die aktuelle Minute.',
  year: 'Das Jahr.',
  month: 'Der Monat, 1 bis 12.',
  day: 'Der Tag des Monats.',
  weekday: 'Der Wochentag: 1 ist Montag, 7 ist Sonntag.',
  add_days: 'Das Datum einige ganze Tage später oder früher.',
  add_months: 'Derselbe Tag einige Monate später, höchstens der letzte des Monats.',
  days_between: 'Die Tage vom ersten Datum zum zweiten.',
  hours_between: 'Die Stunden vom ersten Zeitpunkt zum zweiten, mit Bruchteilen.',
  utc_date: 'Der Tag eines Zeitpunkts, in UTC.',
}

function describe(problem: FormulaProblem): string {
  const meant = (near: string | undefined): string => (near === undefined ? '' : ` Meinten Sie „${near}“?`)
  switch (problem.code) {
    case 'empty':
      return 'Geben Sie eine Formel ein, etwa {Preis} * {Menge}.'
    case 'too_long':
      return `Eine Formel hat höchstens ${problem.most} Zeichen.`
    case 'too_deep':
      return `Eine Formel hat höchstens ${problem.most} Ebenen von Klammern.`
    case 'too_large':
      return `Eine Formel hat höchstens ${problem.most} Teile, samt denen der Formeln, die sie liest.`
    case 'character':
      return `${problem.found} kann hier nicht stehen.`
    case 'open_text':
      return 'Diesem Text fehlt das schließende Anführungszeichen.'
    case 'open_field':
      return 'Diesem Feldnamen fehlt die schließende Klammer.'
    case 'number':
      return `${problem.found} hat mehr als 15 Ziffern oder ist zu groß.`
    case 'date':
      return `${problem.found} ist kein Tag des Kalenders. Schreiben Sie date("2026-03-31").`
    case 'expected':
      return problem.found === '' ? 'Hier fehlt etwas.' : `${problem.found} passt hier nicht.`
    case 'field':
      return `Es gibt kein Feld „${problem.found}“.${meant(problem.near)}`
    case 'two_fields':
      return `Mehrere Felder heißen „${problem.found}“. Schreiben Sie den Namen der Spalte.`
    case 'unreadable':
      return `Formeln können das Feld „${problem.found}“ nicht lesen.`
    case 'function':
      return `Es gibt keine Funktion „${problem.found}“.${meant(problem.near)}`
    case 'arguments':
      return `Schreiben Sie ${problem.usage}.`
    case 'type':
    case 'same_type':
      return `„${problem.of}“ braucht hier ${TYPES[problem.wanted]}, nicht ${TYPES[problem.found]}.`
    case 'not_comparable':
      return `„${problem.of}“ kann Ja und Nein nicht ordnen.`
    case 'digits':
      return 'Die Anzahl der Nachkommastellen ist eine ganze Zahl von 0 bis 6.'
    default:
      return problem satisfies never
  }
}

export const computedMessages: Translation<typeof english> = {
  add: 'Berechnetes Feld hinzufügen',
  edit: (label) => `${label} bearbeiten`,
  addTitle: 'Berechnetes Feld',
  editTitle: 'Berechnetes Feld bearbeiten',
  save: 'Feld speichern',
  remove: 'Feld löschen',
  removed: 'Feld gelöscht.',
  label: 'Name',
  labelForm: 'Ein Name hat 1 bis 40 Zeichen und keinen Punkt.',
  kind: 'Art',
  kinds: { formula: 'Formel', lookup: 'Nachschlagefeld', rollup: 'Zusammenfassung' },
  kindDetails: {
    formula: 'Aus den Feldern des Eintrags berechnet.',
    lookup: 'Ein Feld des verknüpften Eintrags.',
    rollup: 'Anzahl, Summe oder Datum der Einträge, die hierher führen.',
  },
  formula: 'Formel',
  fields: 'Felder',
  functions: 'Funktionen',
  insert: (name) => `${name} einfügen`,
  preview: 'Erste Einträge',
  noRecords: 'Es gibt noch keine Einträge.',
  empty: 'Leer',
  link: 'Verknüpfung',
  noLinks: 'Diese Tabelle hat keine Verknüpfung zu einer anderen. Fügen Sie zuerst ein Verknüpfungsfeld hinzu.',
  field: 'Feld',
  records: 'Einträge aus',
  noRollups: 'Keine Tabelle führt zu dieser. Fügen Sie zuerst der anderen Tabelle ein Verknüpfungsfeld hinzu.',
  recordsBy: (table, field) => `${table}, verknüpft über ${field}`,
  calculation: 'Berechnung',
  calculations: { count: 'Anzahl', sum: 'Summe', average: 'Durchschnitt', min: 'Kleinster Wert', max: 'Größter Wert' },
  only: 'Nur Einträge, für die gilt',
  onlyDetail: 'Eine Formel, die Ja oder Nein ergibt. Leer: alle Einträge.',
  missing: {
    field: 'Ein Nachschlagefeld braucht ein Feld des verknüpften Eintrags.',
    child_field: 'Diese Berechnung braucht ein Feld.',
    child_number: 'Die andere Tabelle hat kein Feld, mit dem sich das berechnen lässt.',
  },
  onlyBoolean: 'Diese Formel muss Ja oder Nein ergeben.',
  offline: 'Zum Ändern von Feldern brauchen Sie eine Verbindung.',
  usedBy: (labels) => `Wird von ${labels} verwendet. Ändern Sie zuerst diese Felder.`,
  problem: describe,
  functionHelp: (name, otherwise) => HELP[name] ?? otherwise,
}

export const computedRefusals: Translation<typeof refusals> = {
  'people.not_admin': 'Nur Inhaber und Admins des Arbeitsbereichs können Felder ändern.',
  'new_table.not_made_here': 'Diese Tabelle wurde nicht in der App angelegt; ihre Felder ändert man mit SQL.',
  'new_table.label': 'Ein Name hat 1 bis 40 Zeichen und keinen Punkt.',
  'new_table.name': 'Wählen Sie einen anderen Namen.',
  'new_table.busy': 'Jemand anders ändert gerade den Arbeitsbereich. Versuchen Sie es gleich noch einmal.',
  'computed_field.exists': 'Ein Feld mit diesem Namen gibt es schon. Wählen Sie einen anderen.',
  'computed_field.limit': 'Eine Tabelle kann bis zu 50 berechnete Felder haben.',
  'computed_field.circle': 'Das Feld würde über ein anderes aus sich selbst berechnet.',
  'computed_field.used': 'Andere berechnete Felder verwenden dieses Feld. Ändern Sie zuerst diese.',
  'computed_field.no_field': 'Ein Feld, das dieses verwendet, gibt es nicht mehr.',
  'computed_field.link': 'Die Verknüpfung gibt es nicht mehr.',
  'computed_field.types': 'Die Werte passen nicht zusammen.',
  'computed_field.formula': 'Der Server unterstützt diese Formel nicht. Er ist vielleicht älter als diese App.',
}
