import { icu, type Translation } from '../../lib/texts.ts'
import type { fieldRulesMessages as english, fieldRulesRefusals as englishRefusals } from '../field-rules.ts'

export const fieldRulesMessages: Translation<typeof english> = {
  required: 'Pflichtfelder',
  requiredDetail: 'Felder, die unter Bedingungen ausgefüllt sein müssen. Auch Geräte prüfen das, auch offline.',
  noneRequired: 'Kein Feld ist unter Bedingungen Pflicht',
  isRequired: 'ist Pflicht',
  requiredWhen: (label, conditions) => `${label} ist Pflicht, wenn gilt: ${conditions}`,
  editRule: (label) => `Regel für ${label} bearbeiten`,
  removeRule: (label) => `Regel für ${label} entfernen`,
  gaps: ({ count, label }) =>
    icu('In {count, plural, one {# Eintrag} other {# Einträgen}} fehlt: {label}', { count, label }),
  onlyNew: 'Nur für neue Änderungen',
  saved: 'Regel gespeichert',
  removed: 'Regel entfernt',
  cancel: 'Abbrechen',
  steps: 'Schritte',
  stepsDetail: 'Welcher Wert auf welchen folgen darf. Auch Geräte prüfen das, auch offline.',
  noChoices: 'Diese Tabelle hat kein Auswahlfeld',
  anyStep: (label) => `${label} darf von jedem Wert zu jedem anderen wechseln.`,
  limit: 'Schritte begrenzen',
  unlimit: 'Jeden Schritt erlauben',
  newRecord: 'Neuer Eintrag',
  fromTo: (option) => `${option} \u2192`,
  fromRole: (option, role) =>
    `${option} (ab ${{ commenter: 'Kommentieren', editor: 'Bearbeiten', admin: 'Admin', owner: 'Inhaber' }[role] ?? role})`,
  staysThere: 'Nichts darf folgen',
  startsAnywhere: 'Ein neuer Eintrag darf jeden Wert haben',
}

export const fieldRulesRefusals: Translation<typeof englishRefusals> = {
  unreachable: 'Der Server hat nicht geantwortet. Laden Sie neu, um zu sehen, ob die Regel gespeichert wurde.',
  'access.busy': 'Gerade verwendet jemand die Tabelle. Versuchen Sie es noch einmal.',
  'access.values': 'Wählen Sie für jede Bedingung einen Wert.',
  'access.condition': 'Eine Regel hat bis zu 8 Bedingungen, und keine für das Feld, das sie verlangt.',
  'access.clock':
    'Ein Pflichtfeld kann nicht von heute abhängen: Einträge werden beim Schreiben geprüft, und heute ändert sich später.',
  'access.field': 'Ein Feld der Regel gibt es nicht mehr, oder es kann keine solche Regel haben.',
  'required.gaps':
    'In einigen Einträgen fehlt das Feld. Füllen Sie es zuerst aus, oder wenden Sie die Regel nur auf neue Änderungen an.',
  'transitions.steps': 'Jeder Schritt steht einmal da, höchstens 400.',
  'people.not_admin': 'Das dürfen nur Inhaber und Admins.',
  'new_table.not_made_here': 'Die Tabelle gibt es nicht mehr, oder sie wurde nicht in der App angelegt.',
}
