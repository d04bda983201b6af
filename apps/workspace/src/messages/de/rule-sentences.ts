/** Sentences of limits and rights that the server's tables have from the beginning. */
const FIXED: Readonly<Record<string, string>> = {
  'Editors of the workspace change these records.': 'Ab Bearbeiten darf man diese Einträge ändern.',
  'People change the records that they made.': 'Alle ändern die Einträge, die sie angelegt haben.',
  'Members of the team change its records.': 'Mitglieder des Teams ändern seine Einträge.',
  'Owners and admins of the workspace change all records.':
    'Inhaber und Admins des Arbeitsbereichs ändern alle Einträge.',
  'Owners and admins of the workspace change checklists.': 'Inhaber und Admins des Arbeitsbereichs ändern Checklisten.',
  'Guests change the records that are shared with them for that.':
    'Gäste ändern die Einträge, die dafür mit ihnen geteilt sind.',
  'Users fill in the checklists of records that they may change.':
    'Die Checklisten eines Eintrags füllt aus, wer ihn ändern darf.',
  'Visitors add records with a public form.': 'Mit einem öffentlichen Formular erstellen Besucher Einträge.',
  'Somebody has signed here already.': 'Hier hat schon jemand unterschrieben.',
  'A field of a record has 100 files at most.': 'Ein Feld eines Eintrags hat höchstens 100 Dateien.',
  'The field for this file has been deleted.': 'Das Feld für diese Datei wurde gelöscht.',
  'The workspace has reached its limit of 100,000 files or 50 GB. Remove files first.':
    'Der Arbeitsbereich hat seine Grenze von 100.000 Dateien oder 50 GB erreicht. Entfernen Sie zuerst Dateien.',
  'A file has at most 50 MB.': 'Eine Datei hat höchstens 50 MB.',
  'A caption has at most 500 characters.': 'Eine Bildunterschrift hat höchstens 500 Zeichen.',
  'A comment has 1 to 10,000 characters.': 'Ein Kommentar hat 1 bis 10.000 Zeichen.',
  'A comment mentions at most 50 people.': 'Ein Kommentar erwähnt höchstens 50 Personen.',
  'A comment stays with its record and its thread.': 'Ein Kommentar bleibt bei seinem Eintrag.',
  'A reply answers a comment on the same record, not another reply.':
    'Eine Antwort gehört zu einem Kommentar desselben Eintrags, nicht zu einer anderen Antwort.',
  'There is no such record that you may read.': 'Diesen Eintrag gibt es nicht, oder Sie dürfen ihn nicht lesen.',
  'A guest has 1,000 shared records at most.': 'Mit einem Gast sind höchstens 1.000 Einträge geteilt.',
  'Records are shared with guests of the workspace.': 'Einträge werden mit Gästen des Arbeitsbereichs geteilt.',
  'A view stays with its table.': 'Eine Ansicht bleibt bei ihrer Tabelle.',
  'A shared view stays with its workspace.': 'Eine geteilte Ansicht bleibt in ihrem Arbeitsbereich.',
  'A shared dashboard stays with its workspace.': 'Eine geteilte Übersicht bleibt in ihrem Arbeitsbereich.',
  'This table has 100 shared views. Delete one first.':
    'Diese Tabelle hat 100 geteilte Ansichten. Löschen Sie zuerst eine.',
  'The workspace has 100 shared dashboards. Delete one first.':
    'Der Arbeitsbereich hat 100 geteilte Übersichten. Löschen Sie zuerst eine.',
  'The settings of a dashboard have at most 65,536 characters.':
    'Die Einstellungen einer Übersicht haben höchstens 65.536 Zeichen.',
  'A name of a dashboard has 1 to 80 characters.': 'Der Name einer Übersicht hat 1 bis 80 Zeichen.',
}

/** Sentences with names and values: those of rules, limits and steps (migrations 0027, 0075, 0180 and 0361). */
const COMPOSED: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/^(.+?) is required when (.+)\.$/, (label, conditions) => `${label} ist Pflicht, wenn ${conditionsOf(conditions)}.`],
  [
    /^Not everyone sets (.+?) to (.+)\.$/,
    (label, value) => `Nicht alle dürfen ${label} auf \u201e${value}\u201c setzen.`,
  ],
  [/^(.+?) stays (.+)\.$/, (label, value) => `${label} bleibt \u201e${value}\u201c.`],
  [/^(.+?) of a new record is (.+)\.$/, (label, values) => `${label} beginnt mit ${alternatives(values)}.`],
  [
    /^(.+?) goes from (.+?) to (.+)\.$/,
    (label, from, to) => `${label}: Auf \u201e${from}\u201c folgt ${alternatives(to)}.`,
  ],
  [
    /^(Members|Commenters|Editors|Owners and admins of the workspace) (see|add|change|delete) (these records|the records that they added|the records assigned to them|the records of their teams)( under the conditions of the rule)?\.$/,
    (who, verb, which, when) =>
      `${WHO[who] ?? who} ${VERBS[verb] ?? verb} ${WHICH[which] ?? which}${when === '' ? '' : ', soweit die Bedingungen der Regel gelten'}.`,
  ],
  [/^(.+?) has at most (\d+) characters\.$/, (label, most) => `${label} hat höchstens ${valueOf(most)} Zeichen.`],
  [/^(.+?) is not before (\S+)\.$/, (label, day) => `${label} liegt nicht vor dem ${valueOf(day)}.`],
  [/^(.+?) is not after (\S+)\.$/, (label, day) => `${label} liegt nicht nach dem ${valueOf(day)}.`],
  [
    /^(.+?) is from (\S+) to (\S+)\.$/,
    (label, from, to) =>
      DAY.test(from)
        ? `${label} liegt zwischen dem ${valueOf(from)} und dem ${valueOf(to)}.`
        : `${label} liegt zwischen ${valueOf(from)} und ${valueOf(to)}.`,
  ],
  [/^(.+?) is at least (\S+)\.$/, (label, least) => `${label} ist mindestens ${valueOf(least)}.`],
  [/^(.+?) is at most (\S+)\.$/, (label, most) => `${label} ist höchstens ${valueOf(most)}.`],
]

const WHO: Readonly<Record<string, string>> = {
  Members: 'Mitglieder',
  Commenters: 'Kommentierende',
  Editors: 'Bearbeitende',
  'Owners and admins of the workspace': 'Inhaber und Admins des Arbeitsbereichs',
}
const VERBS: Readonly<Record<string, string>> = { see: 'sehen', add: 'erstellen', change: 'ändern', delete: 'löschen' }
const WHICH: Readonly<Record<string, string>> = {
  'these records': 'diese Einträge',
  'the records that they added': 'Einträge, die sie angelegt haben',
  'the records assigned to them': 'ihnen zugewiesene Einträge',
  'the records of their teams': 'Einträge ihrer Teams',
}

const COMPARISONS: Readonly<Record<string, string>> = {
  'more than': 'mehr als',
  'at least': 'mindestens',
  'less than': 'weniger als',
  'at most': 'höchstens',
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Translates a sentence that the server wrote; returns others, written by the authors of rules, as they are. */
export function germanSentence(sentence: string): string {
  const fixed = Object.hasOwn(FIXED, sentence) ? FIXED[sentence] : undefined
  if (fixed !== undefined) return fixed
  for (const [pattern, german] of COMPOSED) {
    const found = pattern.exec(sentence)
    if (found) return german(...found.slice(1).map((part: string | undefined) => part ?? ''))
  }
  return sentence
}

/** `State is Blocked or Done and Cause is empty` in German. */
function conditionsOf(conditions: string): string {
  return conditions
    .split(' and ')
    .map((one) => comparisonsOf(one).map(comparisonOf).join(' oder '))
    .join(' und ')
}

/** Splits alternatives: `or` also joins the values of one comparison. */
function comparisonsOf(alternativesText: string): readonly string[] {
  const found: string[] = []
  for (const part of alternativesText.split(' or ')) {
    const before = found.at(-1)
    if (before === undefined || / (is|contains) /.test(part)) found.push(part)
    else found[found.length - 1] = `${before} or ${part}`
  }
  return found
}

function comparisonOf(comparison: string): string {
  const [, label, verb, test, value] =
    /^(.+?) (is|contains) (?:(not|more than|at least|less than|at most) )?(.+)$/.exec(comparison) ?? []
  if (label === undefined || value === undefined) return comparison
  if (verb === 'contains') return `${label} \u201e${test === undefined ? '' : `${test} `}${value}\u201c enthält`
  if (test === undefined && value === 'empty') return `${label} leer ist`
  if (test === undefined && value === 'filled in') return `${label} ausgefüllt ist`
  const values = value.split(' or ').map((word) => (word === 'yes' ? 'Ja' : word === 'no' ? 'Nein' : valueOf(word)))
  const compared = test === undefined ? '' : test === 'not' ? 'nicht ' : `${COMPARISONS[test] ?? test} `
  return `${label} ${compared}${values.join(' oder ')} ist`
}

function alternatives(values: string): string {
  return values.replaceAll(' or ', ' oder ')
}

/** A number or day as Germans write it. */
function valueOf(text: string): string {
  if (DAY.test(text)) return text.split('-').toReversed().join('.')
  return /^-?\d+(\.\d+)?$/.test(text) ? text.replace('.', ',') : text
}
