export { requireCaller, type Caller } from './caller.ts'
