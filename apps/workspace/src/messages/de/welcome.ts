import type { Translation } from '../../lib/texts.ts'
import type { ownerMessages as englishOwner, welcomeMessages as english } from '../welcome.ts'

export const welcomeMessages: Translation<typeof english> = {
  title: 'Willkommen',
  lead: 'Ihr Server läuft. Womit möchten Sie beginnen?',
  sample: 'Das Beispiel ansehen',
  sampleDetail: 'Ein Wasserversorger prüft seine Anlagen. Sie sind Dana Okafor, die das Team North leitet.',
  file: 'Mit einer CSV- oder Excel-Datei beginnen',
  fileDetail: 'Daraus wird eine Tabelle, und Sie wählen, wer ihre Einträge sieht.',
  postgres: 'Ihr Postgres verbinden',
  postgresDetail: 'Was jemand nach den Regeln Ihrer Datenbank lesen darf, haben die Geräte dieser Person.',
  postgresHow: 'So geht es',
  postgresSteps: 'Beenden Sie den Server, und starten Sie ihn mit der Adresse Ihrer Datenbank:',
  keyTooOld: 'Der Link ist schon benutzt oder älter als 10 Minuten',
  keyTooOldDetail:
    'Wählen Sie noch einmal, um sich mit einem Beispielkonto anzumelden. Beim nächsten Start zeigt der Server einen neuen Link.',
  offline: 'Um zu beginnen, muss der Server erreichbar sein. Sehen Sie nach, ob er noch läuft.',
}

export const ownerMessages: Translation<typeof englishOwner> = {
  title: 'Arbeitsbereich anlegen',
  lead: 'Er gehört Ihnen. Andere können Sie später einladen.',
  workspace: 'Name des Arbeitsbereichs',
  workspaceHelp: 'Ihre Firma oder Ihr Team. Alle, die Sie einladen, sehen ihn.',
  workspaceMissing: 'Geben Sie dem Arbeitsbereich einen Namen',
  name: 'Ihr Name',
  nameMissing: 'Geben Sie Ihren Namen ein',
  create: 'Arbeitsbereich anlegen',
  signedInAs: (account) => `Angemeldet als ${account}.`,
  offline: 'Um einen Arbeitsbereich anzulegen, brauchen Sie eine Verbindung.',
}
