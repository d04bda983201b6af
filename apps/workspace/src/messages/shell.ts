import { capitalize, formatClock } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const shellMessages = inLanguages('shellMessages', {
  skipToContent: 'Skip to content',
  mainNavigation: 'Workspace',
  main: 'Main',
  openNavigation: 'Open navigation',
  collapseSideBar: 'Make the side bar narrow',
  expandSideBar: 'Make the side bar wide',
  home: 'Home',
  myWork: 'My work',
  inbox: 'Inbox',
  people: 'People',
  dashboards: 'Dashboards',
  capture: 'Capture',
  importRecords: 'Import records',
  templates: 'Templates',
  automations: 'Automations',
  tables: 'Tables',
  moreTables: 'More tables',
  syncCentre: 'Sync centre',
  sync: 'Sync',
  search: 'Search',
  crumb: (noun: string | undefined) => capitalize(noun ?? 'record'),
  breadcrumb: 'You are here',
  account: 'Account',
  yourAccount: 'Your account',
  accountSecurity: 'Security',
  accountSignIns: 'Sign-ins',
  accountIdentities: 'Ways to sign in',
  notifications: 'Notifications',
  workspace: 'Workspace',
  accountOf: (name: string) => `Account of ${name}`,
  appearance: 'Appearance',
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign out',
  theme: 'Theme',
  themes: { system: 'Like the system', light: 'Light', dark: 'Dark' },
  newVersion: 'A new version of the app is ready.',
  loadNewVersion: 'Load it now',
  typedFirst: 'Something that you typed is not saved yet. Finish it or take it back with Escape first.',
  silentStore: (label: string) =>
    `Not stored yet: ${label}. The storage of this browser has not answered for some time. If this stays, free up space on this device, close all tabs of the app, open it again and look whether the change is there.`,
  noStore: 'This browser does not let the app keep data. Everything is lost when the tab closes.',
  tryAgain: 'Try again',
  openingTitle: 'Opening your data',
  opening: 'Opening your data …',
  openingSlow: 'The server has not said yet which tables are yours',
  openingOffline: 'You are offline',
  openingDetail: 'This device is new to your account, so the first start needs the server. It continues automatically.',
  nothingToSave: (waiting: number, lastSyncedAt: Date | undefined) =>
    waiting > 0
      ? icu(
          'Every change is on this device. {waiting, plural, one {# change} other {# changes}} {waiting, plural, one {is} other {are}} not sent yet.',
          { waiting },
        )
      : lastSyncedAt
        ? `Nothing waits to be sent. Last checked with the server ${formatClock(lastSyncedAt)}.`
        : 'Nothing waits to be sent.',
  noTables: 'No tables yet',
  rows: (count: number) => icu('{count, plural, one {# row} other {# rows}}', { count }),
})
