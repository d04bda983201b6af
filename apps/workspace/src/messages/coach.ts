import { icu, inLanguages } from '../lib/texts.ts'

/** Texts of the first steps of a new owner. */
export const coachMessages = inLanguages('coachMessages', {
  title: 'Get started',
  progress: (done: number, all: number) => icu('{done, number} of {all, number} done', { done, all }),
  hide: 'Hide these steps',
  isDone: 'Done',
  allDone: 'You are set up',
  allDoneDetail: 'Everything else is in the menus, and in the palette (Ctrl K).',
  steps: {
    record: { title: 'Add a record', detail: 'It is saved on this device at once.', action: 'Add record' },
    invite: { title: 'Invite a colleague', detail: 'By mail, link or QR code.', action: 'Open People' },
    phone: { title: 'Open it on your phone', detail: 'Sign in there with the same account.', action: 'Show code' },
    offline: {
      title: 'Work offline',
      detail: 'Turn off the network and change a record. It syncs when you are back online.',
      action: '',
    },
  },
  phoneTitle: 'Open it on your phone',
  phoneDetail: 'Scan the code, sign in, and add the page to the home screen.',
  address: 'Address',
  qr: 'QR code of this server',
})
