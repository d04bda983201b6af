import { inLanguages } from '../lib/texts.ts'

/** Texts of the notification settings. */
export const notificationMessages = inLanguages('notificationMessages', {
  title: 'Notifications',
  lead: 'On this device, also while the app is closed: when someone mentions you, replies to you or assigns work to you.',
  switchLabel: 'Notifications on this device',
  on: 'On',
  off: 'Off',
  unsupported: 'This browser has no notifications for web apps.',
  unsupportedIos: 'On an iPhone or iPad, add the app to the home screen first, and open it from there.',
  notServed: 'This server sends no notifications.',
  denied:
    'Notifications are blocked for this site. Allow them in the settings of the browser, then come back to this page.',
  offline: 'You are offline. This can be changed when the connection is back.',
  expired: 'Your session has ended. Sign in again to change this.',
  dismissed: 'The browser was not allowed to show notifications, so they stay off.',
  failed: 'This could not be changed. Try again in a moment.',
  failedService: 'The browser could not reach its push service. Notifications stay off.',
  mailLabel: 'Daily mail',
  mailDetail: 'In the morning, when something in your inbox is new: mentions, work that is assigned to you or due.',
  mailNoMember: 'Members of a workspace get a daily mail; you are in none.',
  mailNotRead: 'Whether you get the daily mail could not be read from the server.',
  privacy: 'What they say is encrypted for this device. The browser’s push service delivers it and cannot read it.',
})
