import { capitalize, formatClock } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { shellMessages as english } from '../shell.ts'

export const shellMessages: Translation<typeof english> = {
  skipToContent: 'Zum Inhalt',
  mainNavigation: 'Arbeitsbereich',
  main: 'Hauptmenü',
  openNavigation: 'Menü öffnen',
  collapseSideBar: 'Seitenleiste schmal machen',
  expandSideBar: 'Seitenleiste breit machen',
  home: 'Startseite',
  myWork: 'Meine Arbeit',
  inbox: 'Eingang',
  people: 'Personen',
  dashboards: 'Dashboards',
  capture: 'Erfassen',
  importRecords: 'Einträge importieren',
  templates: 'Vorlagen',
  automations: 'Automationen',
  tables: 'Tabellen',
  moreTables: 'Weitere Tabellen',
  syncCentre: 'Abgleich',
  sync: 'Abgleich',
  search: 'Suche',
  record: 'Eintrag',
  records: 'Einträge',
  crumb: (noun) => (noun === undefined ? 'Eintrag' : capitalize(noun)),
  breadcrumb: 'Sie sind hier',
  account: 'Konto',
  yourAccount: 'Ihr Konto',
  accountSecurity: 'Sicherheit',
  accountSignIns: 'Anmeldungen',
  accountIdentities: 'Arten der Anmeldung',
  accountOf: (name) => `Konto von ${name}`,
  notifications: 'Benachrichtigungen',
  workspace: 'Arbeitsbereich',
  appearance: 'Darstellung',
  shortcuts: 'Tastenkürzel',
  signOut: 'Abmelden',
  theme: 'Farben',
  themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  newVersion: 'Eine neue Version der App ist bereit.',
  loadNewVersion: 'Jetzt laden',
  typedFirst:
    'Etwas, das Sie eingegeben haben, ist noch nicht gespeichert. Beenden Sie es zuerst, oder nehmen Sie es mit Escape zurück.',
  silentStore: (label) =>
    `Noch nicht gespeichert: ${label}. Der Speicher dieses Browsers antwortet seit einiger Zeit nicht. Wenn das so bleibt, schaffen Sie Platz auf diesem Gerät, schließen alle Tabs der App, öffnen sie wieder und sehen nach, ob die Änderung da ist.`,
  noStore: 'Dieser Browser lässt die App keine Daten behalten. Alles geht verloren, wenn der Tab geschlossen wird.',
  tryAgain: 'Noch einmal versuchen',
  openingTitle: 'Ihre Daten werden geöffnet',
  opening: 'Ihre Daten werden geöffnet …',
  openingSlow: 'Der Server hat noch nicht gesagt, welche Tabellen Ihre sind',
  openingOffline: 'Sie sind offline',
  openingDetail:
    'Dieses Gerät kennt Ihr Konto noch nicht; der erste Start braucht den Server. Es geht von selbst weiter.',
  nothingToSave: (waiting, lastSyncedAt) =>
    waiting > 0
      ? icu('Jede Änderung ist auf diesem Gerät. {waiting, plural, one {# ist} other {# sind}} noch nicht gesendet.', {
          waiting,
        })
      : lastSyncedAt
        ? `Nichts ist mehr zu senden. Zuletzt mit dem Server abgeglichen ${formatClock(lastSyncedAt)}.`
        : 'Nichts ist mehr zu senden.',
  noTables: 'Noch keine Tabellen',
  rows: (count) => icu('{count, plural, one {# Zeile} other {# Zeilen}}', { count }),
  secondFactor: 'Bevor Änderungen gesendet und empfangen werden, brauchen Sie Ihren zweiten Schritt.',
  confirmSecondFactor: 'Bestätigen',
}
