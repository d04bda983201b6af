import type { IncompleteTable } from '@holdfast/protocol'

/** Explains to the user why a table is incomplete on this device. */
export interface IncompleteExplanation {
  /** Stable, for support. */
  readonly code: string
  readonly title: string
  readonly advice: string
}

/** @param name - the app's plural name for the table */
export function explainIncomplete({ reason }: IncompleteTable, name: string): IncompleteExplanation {
  switch (reason) {
    case 'too_many_groups':
      return {
        code: 'HF-SYNC-GROUPS',
        title: `More ${name} are shared with you than fit on a device. Some are missing here`,
        advice:
          'Ask whoever shares them to take some back, or an administrator. The missing records are still on the server.',
      }
    case 'own_values':
      return {
        code: 'HF-SYNC-OWN-VALUES',
        title: `Some ${name} that you wrote are not on devices. You wrote more different values than one account may`,
        advice: 'Delete some of them, or use values that others have already. They are still on the server.',
      }
    case 'others_values':
      return {
        code: 'HF-SYNC-OTHERS-VALUES',
        title: `Some ${name} of another account are missing here. It wrote more different values than one account may`,
        advice: 'Tell an administrator, who can see whose they are. The missing records are still on the server.',
      }
    case 'too_many_values':
      return {
        code: 'HF-SYNC-VALUES',
        title: `The newest ${name} may be missing here. There are more different values than devices are given`,
        advice: 'Tell an administrator. The missing records are still on the server.',
      }
    case 'policy_fails':
      return {
        code: 'HF-SYNC-POLICY',
        title: `Some ${name} are missing here. The server cannot decide which of them you may see`,
        advice: 'Tell an administrator. Nothing of what you wrote is lost.',
      }
    case 'being_read':
      return {
        code: 'HF-SYNC-READING',
        title: `Some ${name} are not on this device yet. The server is still reading them`,
        advice: 'They arrive automatically. You do not have to do anything.',
      }
    case 'not_on_device':
      return {
        code: 'HF-SYNC-TABLE',
        title: `This device cannot store ${name}. They are missing here`,
        advice: 'Update the app, and tell an administrator if that does not help. The records are on the server.',
      }
    default:
      return reason satisfies never
  }
}
