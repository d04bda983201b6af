import { capitalize } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { paletteMessages as english } from '../palette.ts'

export const paletteMessages: Translation<typeof english> = {
  title: 'Suche und Befehle',
  field: 'Suchen oder gehen zu',
  placeholder: 'Tabelle, Eintrag oder Befehl',
  results: 'Ergebnisse',
  typeToSearch: 'Tippen Sie, um auf diesem Gerät zu suchen',
  noMatch: (text) => `Auf diesem Gerät passt nichts zu „${text}“`,
  goTo: 'Gehen zu',
  tables: 'Tabellen',
  views: 'Ansichten',
  commands: 'Befehle',
  goHome: 'Startseite',
  goSearch: 'Überall suchen',
  newTable: 'Neue Tabelle',
  newTableFromFile: 'Neue Tabelle aus einer Datei',
  templates: 'Vorlagen',
  goSync: 'Abgleich',
  goAttention: 'Zu klären',
  goDevice: 'Dieses Gerät',
  themeOf: (theme) => `Farben: ${theme}`,
  pauseSync: 'Abgleich anhalten',
  resumeSync: 'Abgleich fortsetzen',
  signOut: 'Abmelden',
  newRecord: (noun) => `Neu: ${capitalize(noun)}`,
}
