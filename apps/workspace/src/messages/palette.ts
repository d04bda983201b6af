import { inLanguages } from '../lib/texts.ts'

export const paletteMessages = inLanguages('paletteMessages', {
  title: 'Search and commands',
  field: 'Search or go to',
  placeholder: 'Go to a table, find a record, run a command',
  results: 'Results',
  typeToSearch: 'Type to search this device',
  noMatch: (text: string) => `Nothing on this device matches “${text}”`,
  goTo: 'Go to',
  tables: 'Tables',
  views: 'Views',
  commands: 'Commands',
  goHome: 'Home',
  goSearch: 'Search everywhere',
  goSync: 'Sync centre',
  goAttention: 'Needs attention',
  goDevice: 'This device',
  themeOf: (theme: string) => `Theme: ${theme}`,
  pauseSync: 'Pause sync',
  resumeSync: 'Resume sync',
  signOut: 'Sign out',
  newRecord: (noun: string) => `New ${noun}`,
})
