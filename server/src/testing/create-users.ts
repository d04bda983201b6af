import { HoldfastError } from '@holdfast/foundation'
import type { HostedUser } from '@holdfast/protocol'

/**
 * Creates a test's users with the admin API.
 *
 * @returns their ids in order
 * @throws {HoldfastError} `test_user_refused`
 */
export async function createUsers(
  baseUrl: string,
  serviceRoleKey: string,
  users: readonly HostedUser[],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { id, email, phone, password, userMetadata, appMetadata } of users) {
    const response = await fetch(`${baseUrl}/auth/v1/admin/users`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        apikey: serviceRoleKey,
        authorization: `Bearer ${serviceRoleKey}`,
      },
      body: JSON.stringify({
        id,
        email,
        phone,
        password,
        user_metadata: userMetadata,
        app_metadata: appMetadata,
        email_confirm: true,
        ...(phone === undefined ? {} : { phone_confirm: true }),
      }),
    })
    const answer = (await response.json()) as { readonly id?: string; readonly msg?: string }
    if (answer.id === undefined || !response.ok)
      throw new HoldfastError(
        'test_user_refused',
        500,
        `The user ${email} cannot be made: ${answer.msg ?? response.status}`,
        {
          hint: 'A seed may have made an account with this address already: leave the user out, and sign in as it.',
        },
      )
    ids.push(answer.id)
  }
  return ids
}
