import { inLanguages } from '../lib/texts.ts'

/** Texts of the workspace settings. */
export const workspaceMessages = inLanguages('workspaceMessages', {
  title: 'Workspace',
  lead: (name: string) => `These settings of ${name} hold for everybody in it.`,
  none: 'There is no workspace here yet. Days begin and end by the clock of each device.',
  onlyAdmins: 'Only owners and admins of the workspace change these settings.',
  timeZone: 'Time zone',
  /** @param time - `undefined`: not known */
  timeZoneDetail: (time: string | undefined) =>
    `What is due today, overdue or planned for a day goes by this zone, on every device.${time === undefined ? '' : ` It is ${time} there now.`}`,
  deviceZone: (zone: string) => `Use the zone of this device: ${zone}`,
  language: 'Language of mails',
  languageDetail: 'For people who have not chosen a language for their mails.',
  changedZone: 'Time zone changed',
  changedLanguage: 'Language of mails changed',
})
