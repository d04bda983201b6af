import { forgetLastEmail } from '../auth/sent-codes.ts'
import { forgetAccount } from '../data/accounts.ts'
import { forgetMapFiles } from '../data/map-cache.ts'
import { forgetLooks } from '../data/remembered-looks.ts'
import { forgetRights } from '../records/remembered-rights.ts'
import { forgetPush } from '../push/push-device.ts'
import { forgetListChoices } from './list-choice.ts'

/** Removes the app's own data of a user; rows and files are removed by the client's `signOut('wipe')`. */
export async function forgetPerson(userId: string): Promise<void> {
  forgetAccount(userId)
  forgetLooks(userId)
  forgetRights(userId)
  forgetListChoices()
  forgetLastEmail()
  // Router state per page.
  sessionStorage.clear()
  await forgetMapFiles()
  await forgetPush(userId)
}
