/** Texts of notifications. The service worker shows them and cannot read the chosen language from a page, so it contains both languages. */
export const pushMessages = {
  mention: (who: string) => `${who} mentioned you`,
  reply: (who: string) => `${who} answered you`,
  assigned: (who: string) => `${who} assigned this to you`,
  several: (count: number) => `${String(count)} new things in your inbox`,
  /** Shown for messages of a newer server that this version does not understand. */
  somethingNew: 'Something new in your inbox',
  someone: 'Somebody',
}

export type PushMessages = typeof pushMessages
