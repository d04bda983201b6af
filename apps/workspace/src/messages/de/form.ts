import { formatCount } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { formMessages as english } from '../form.ts'

export const formMessages: Translation<typeof english> = {
  formOf: (name) => `${name}, Formular`,
  saveNext: 'Speichern & weiter',
  saveOpen: 'Speichern & öffnen',
  clear: 'Formular leeren',
  cleared: 'Das Formular ist geleert',
  draftKept: 'Was Sie ausfüllen, bleibt auf diesem Gerät, bis Sie es speichern.',
  saved: (title) => `${title} ist auf diesem Gerät gespeichert und wird von selbst gesendet`,
  savedCount: (count) => `${formatCount(count)} gespeichert, seit Sie das Formular geöffnet haben`,
  missing: (labels) => `Bitte ausfüllen: ${labels}`,
  notAsked: (labels) => `Ein Eintrag braucht Werte, nach denen dieses Formular nicht fragt: ${labels}`,
  readOnly: 'Sie können diese Tabelle sehen, aber nichts hinzufügen',
  readOnlyDetail: 'Sie dürfen hier keine Einträge anlegen.',
  empty: 'Dieses Formular fragt noch nach nichts',
  emptyDetail: 'Wählen Sie die Felder, nach denen es fragt.',
  copyLink: 'Link kopieren',
  edit: 'Formular bearbeiten',
  done: 'Fertig',
  save: 'Formular speichern',
  editing: 'Felder des Formulars',
  label: 'Frage',
  help: 'Hilfe',
  required: 'Muss ausgefüllt werden',
  requiredByTable: 'Muss ausgefüllt werden: die Tabelle braucht es',
  up: (label) => `${label} nach oben`,
  down: (label) => `${label} nach unten`,
  remove: (label) => `Nicht nach ${label} fragen`,
  add: 'Feld hinzufügen',
  addPlaceholder: 'Feld auswählen',
}
