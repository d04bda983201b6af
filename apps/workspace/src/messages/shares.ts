import { formatLongDay } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

/** Texts for sharing records with guests. */
export const shareMessages = inLanguages('shareMessages', {
  open: 'Share with a guest',
  title: (record: string) => `Share “${record}”`,
  detail: 'A guest sees this record until you stop sharing it or their access ends.',
  rules: 'Whether guests also see related records, such as photos, depends on the rules of each table.',
  guests: 'Guests',
  search: 'Find a guest',
  noMatch: (text: string) => `No guest is called “${text}”`,
  none: 'There are no guests yet.',
  noneDetail: 'Invite one under People, with the role Guest. Members see records by their role and team.',
  toPeople: 'Open People',
  mayChange: 'May change it',
  mayChangeNamed: (name: string) => `${name} may change it`,
  until: (at: Date) => `Access until ${formatLongDay(at)}`,
  ended: (at: Date) => `Access ended on ${formatLongDay(at)}: sees nothing`,
  suspended: 'Suspended: sees nothing',
  done: 'Done',
  label: (name: string) => `Share with ${name}`,
  unsharedLabel: (name: string) => `Stop sharing with ${name}`,
})

/** Shown to users whose access has ended. */
export const endedAccessMessages = inLanguages('endedAccessMessages', {
  ended: (at: Date) => `Your access ended on ${formatLongDay(at)}`,
  suspended: 'Your access is suspended',
  detail: 'The records of the workspace have left this device. Ask who invited you if you still need them.',
})
