/** What a notification says. The service worker shows it, which has no page to read the chosen language from: it has both languages itself. */
export const pushMessages = {
  mention: (who: string) => `${who} mentioned you`,
  reply: (who: string) => `${who} answered you`,
  assigned: (who: string) => `${who} assigned this to you`,
  several: (count: number) => `${String(count)} new things in your inbox`,
  /** When a message of a newer server is not understood. */
  somethingNew: 'Something new in your inbox',
  someone: 'Somebody',
}

export type PushMessages = typeof pushMessages
