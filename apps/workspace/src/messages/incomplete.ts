import { inLanguages } from '../lib/texts.ts'

/** Why a table is incomplete on this device, by the server's reason, and what to do. */
export const incompleteMessages = inLanguages('incompleteMessages', {
  titles: {
    too_many_groups: (many: string) => `More ${many} are shared with you than fit on a device. Some are missing here`,
    own_values: (many: string) =>
      `Some ${many} that you wrote are not on devices. You wrote more different values than one account may`,
    others_values: (many: string) =>
      `Some ${many} of another account are missing here. It wrote more different values than one account may`,
    too_many_values: (many: string) =>
      `The newest ${many} may be missing here. There are more different values than devices are given`,
    policy_fails: (many: string) => `Some ${many} are missing here. The server cannot decide which of them you may see`,
    being_read: (many: string) => `Some ${many} are not on this device yet. The server is still reading them`,
    not_on_device: (many: string) => `This device cannot store ${many}. They are missing here`,
  },
  advice: {
    too_many_groups:
      'Ask whoever shares them to take some back, or an administrator. The missing records are still on the server.',
    own_values: 'Delete some of them, or use values that others have already. They are still on the server.',
    others_values: 'Tell an administrator, who can see whose they are. The missing records are still on the server.',
    too_many_values: 'Tell an administrator. The missing records are still on the server.',
    policy_fails: 'Tell an administrator. Nothing of what you wrote is lost.',
    being_read: 'They arrive automatically. You do not have to do anything.',
    not_on_device: 'Reload the app, and tell an administrator if that does not help. The records are on the server.',
  },
})
