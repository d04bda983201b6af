import { inLanguages } from '../lib/texts.ts'

/** Texts of the workspace settings. */
export const workspaceMessages = inLanguages('workspaceMessages', {
  title: 'Workspace',
  lead: (name: string) => `Settings of ${name} for all its members.`,
  none: 'You are not in a workspace. Days follow the clock of each device.',
  onlyAdmins: 'Only owners and admins can change these settings.',
  name: 'Name',
  rename: 'Rename',
  renamed: 'Workspace renamed',
  nameMissing: 'Enter a name.',
  timeZone: 'Time zone',
  /** @param time - `undefined`: not known */
  timeZoneDetail: (time: string | undefined) =>
    `Decides what is due today or overdue, on every device.${time === undefined ? '' : ` It is ${time} there now.`}`,
  deviceZone: (zone: string) => `Use the zone of this device: ${zone}`,
  language: 'Language of mails',
  languageDetail: 'For people who have not chosen a language for their mails.',
  logo: 'Logo',
  logoOf: (name: string) => `Logo of ${name}`,
  logoDetail: 'Printed on records and views. PNG, JPEG or WebP.',
  addLogo: 'Add a logo',
  replaceLogo: 'Replace',
  removeLogo: 'Remove',
  changedLogo: 'Logo changed',
  logoProblems: {
    kind: 'This kind of file is not possible. Choose a PNG, JPEG or WebP image.',
    too_large: 'This image is too large. Choose one of at most 5 MB, with few details.',
    unreadable: 'This browser cannot read the image. Save it again as PNG.',
  },
  changedZone: 'Time zone changed',
  changedLanguage: 'Language of mails changed',
})
