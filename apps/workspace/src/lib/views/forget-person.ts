import { forgetLastEmail } from '../auth/sent-codes.ts'
import { forgetAccount } from '../data/accounts.ts'
import { forgetMapFiles } from '../data/map-cache.ts'
import { forgetLooks } from '../data/remembered-looks.ts'
import { forgetPush } from '../push/push-device.ts'
import { forgetListChoices } from './list-choice.ts'

/** Removes from this device what the app itself keeps of a person; their rows and files go with the client's `signOut('wipe')`. */
export async function forgetPerson(userId: string): Promise<void> {
  forgetAccount(userId)
  forgetLooks(userId)
  forgetListChoices()
  forgetLastEmail()
  // Where the router was on which page.
  sessionStorage.clear()
  await forgetMapFiles()
  await forgetPush(userId)
}
