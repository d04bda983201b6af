import { expect, test } from 'vitest'
import { rightMessages } from './de/rights.ts'

test.each([
  ['Reason is required when State is Blocked.', 'Reason ist Pflicht, wenn State Blocked ist.'],
  [
    'Grund is required when Stand is offen or blockiert and Ursache is empty and Dringend is yes.',
    'Grund ist Pflicht, wenn Stand offen oder blockiert ist und Ursache leer ist und Dringend Ja ist.',
  ],
  ['Grund is required when Stand is not fertig.', 'Grund ist Pflicht, wenn Stand nicht fertig ist.'],
  ['Not everyone sets Stand to Fertig.', 'Nicht alle dürfen Stand auf „Fertig“ setzen.'],
  ['Stand goes from Offen to Blockiert or Fertig.', 'Stand: Auf „Offen“ folgt Blockiert oder Fertig.'],
  ['Stand of a new record is Offen.', 'Stand beginnt mit Offen.'],
  ['Editors change the records assigned to them.', 'Bearbeitende ändern ihnen zugewiesene Einträge.'],
  [
    'Members see these records under the conditions of the rule.',
    'Mitglieder sehen diese Einträge, soweit die Bedingungen der Regel gelten.',
  ],
  [
    'Grund is required when Kosten is more than 2.5 or Stand is not neu or fertig and Notiz contains not yet.',
    'Grund ist Pflicht, wenn Kosten mehr als 2,5 ist oder Stand nicht neu oder fertig ist und Notiz „not yet“ enthält.',
  ],
  ['Grund is required when Tag is at least 2026-03-31.', 'Grund ist Pflicht, wenn Tag mindestens 31.03.2026 ist.'],
  ['Stunden is from 0.5 to 9.', 'Stunden liegt zwischen 0,5 und 9.'],
  ['Tag is from 2026-01-01 to 2026-12-31.', 'Tag liegt zwischen dem 01.01.2026 und dem 31.12.2026.'],
  ['Tag is not before 2026-01-01.', 'Tag liegt nicht vor dem 01.01.2026.'],
  ['Name has at most 80 characters.', 'Name hat höchstens 80 Zeichen.'],
  ['Stunden is at most 24.', 'Stunden ist höchstens 24.'],
  [
    'Owners and admins of the workspace delete these records.',
    'Inhaber und Admins des Arbeitsbereichs löschen diese Einträge.',
  ],
  ['A comment stays with its record and its thread.', 'Ein Kommentar bleibt bei seinem Eintrag.'],
  ['Somebody has signed here already.', 'Hier hat schon jemand unterschrieben.'],
  ['Ein Satz des Projekts.', 'Ein Satz des Projekts.'],
])('%s', (sentence, german) => {
  expect(rightMessages.said?.(sentence)).toBe(german)
})
