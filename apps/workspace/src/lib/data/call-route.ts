import type { Backend } from './backend.ts'
import { CallRefused, post, readAccessToken } from './call-function.ts'

/**
 * Calls one of the server's own routes as the signed-in user.
 *
 * @param address - such as `/app/v1/see-as`
 * @throws {CallRefused}; {TypeError} if the server is not reached
 */
export async function callRoute<Answer>({ client }: Backend, address: string, body: object): Promise<Answer> {
  const token = await readAccessToken(client)
  const response = await post(address, body, { authorization: `Bearer ${token ?? ''}` })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new CallRefused(response.status, { ...answer, hint: answer['code'] })
  return answer as Answer
}
