import type { DigestKind } from './read-digest.ts'

/** Texts of the daily mail. */
export interface DigestWords {
  readonly language: string
  readonly locale: string
  readonly subject: (count: number, workspace: string) => string
  readonly lead: (workspace: string) => string
  readonly headings: Readonly<Record<DigestKind, string>>
  readonly due: (day: string) => string
  readonly someone: string
  readonly wrote: (who: string) => string
  readonly assigned: (who: string) => string
  readonly refused: (count: number) => string
  readonly more: (count: number) => string
  readonly openInbox: string
  readonly why: (workspace: string) => string
  readonly turnOff: string
  readonly untitled: string
  /** The page behind {@link turnOff}. */
  readonly off: {
    readonly title: string
    readonly ask: string
    readonly button: string
    readonly done: string
    readonly invalid: string
  }
}

const ENGLISH: DigestWords = {
  language: 'en',
  locale: 'en-GB',
  subject: (count, workspace) => (count === 1 ? `1 new thing in ${workspace}` : `${count} new things in ${workspace}`),
  lead: (workspace) => `This is new for you in ${workspace}.`,
  headings: {
    overdue: 'Overdue',
    due: 'Due today',
    mention: 'You were mentioned',
    comment: 'Comments',
    assigned: 'Assigned to you',
  },
  due: (day) => `due ${day}`,
  someone: 'Somebody',
  wrote: (who) => `${who}:`,
  assigned: (who) => `by ${who}`,
  refused: (count) =>
    count === 1
      ? 'A change of yours was not accepted. Decide about it on the device that you made it on.'
      : `${count} changes of yours were not accepted. Decide about them on the device that you made them on.`,
  more: (count) => `and ${count} more in your inbox`,
  openInbox: 'Open the inbox',
  why: (workspace) => `You get this mail at most once a day, as a member of ${workspace}.`,
  turnOff: 'Turn this mail off',
  untitled: 'Record without a title',
  off: {
    title: 'Daily mail',
    ask: 'Turn off the daily mail of what is new for you?',
    button: 'Turn it off',
    done: 'The daily mail is off. You can turn it on again in the app, under Notifications.',
    invalid: 'This link is not a link of a daily mail. Turn the mail off in the app, under Notifications.',
  },
}

const GERMAN: DigestWords = {
  language: 'de',
  locale: 'de-DE',
  subject: (count, workspace) => (count === 1 ? `1 Neuigkeit in ${workspace}` : `${count} Neuigkeiten in ${workspace}`),
  lead: (workspace) => `Das ist neu für Sie in ${workspace}.`,
  headings: {
    overdue: 'Überfällig',
    due: 'Heute fällig',
    mention: 'Sie wurden erwähnt',
    comment: 'Kommentare',
    assigned: 'Ihnen zugewiesen',
  },
  due: (day) => `fällig ${day}`,
  someone: 'Jemand',
  wrote: (who) => `${who}:`,
  assigned: (who) => `von ${who}`,
  refused: (count) =>
    count === 1
      ? 'Eine Ihrer Änderungen wurde nicht angenommen. Klären Sie das auf dem Gerät, auf dem Sie sie gemacht haben.'
      : `${count} Ihrer Änderungen wurden nicht angenommen. Klären Sie das auf dem Gerät, auf dem Sie sie gemacht haben.`,
  more: (count) => `und ${count} weitere in Ihrem Posteingang`,
  openInbox: 'Posteingang öffnen',
  why: (workspace) => `Sie bekommen diese Mail höchstens einmal am Tag, weil Sie zu ${workspace} gehören.`,
  turnOff: 'Diese Mail abbestellen',
  untitled: 'Eintrag ohne Titel',
  off: {
    title: 'Tägliche Mail',
    ask: 'Die tägliche Mail mit dem, was für Sie neu ist, abbestellen?',
    button: 'Abbestellen',
    done: 'Die tägliche Mail ist abbestellt. In der App können Sie sie unter „Benachrichtigungen“ wieder bestellen.',
    invalid:
      'Das ist kein Link einer täglichen Mail. Bestellen Sie die Mail in der App ab, unter „Benachrichtigungen“.',
  },
}

/** @param tag - BCP 47; English if the language has no texts */
export function digestWords(tag: string): DigestWords {
  return tag.toLowerCase().split('-', 1)[0] === 'de' ? GERMAN : ENGLISH
}
