import { dateTime } from '../resolvers/scalars.ts'
import { builder } from './builder.ts'

builder.scalarType('DateTime', dateTime)
