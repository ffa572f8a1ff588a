// The tables of src/store/rows/tables.ts for CloudFormation and for Terraform, with what a node may do to them and nothing else.

import { type Column, type TableName, tableNames, tables, ttlColumns } from '../src/store/rows/tables.ts'

/** CreateTable is not among them: where these templates are used, the tables are theirs to make. */
export const tableActions = [
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'UpdateItem',
]
export const objectActions = ['AbortMultipartUpload', 'DeleteObject', 'GetObject', 'PutObject']

const ofTables = tableActions.map((action) => `dynamodb:${action}`)
const ofObjects = objectActions.map((action) => `s3:${action}`)
/** Without this permission S3 answers 403 for a missing object, which cannot be told from a refusal. */
const ofBucket = ['s3:ListBucket']
/** These objects are what users send, and what tasks make. */
const objects = ['attachments/*', 'exports/*']

const prefixRule = '[A-Za-z0-9_.-]{1,128}'
const prefixDefault = 'parley_'
const prefixMeaning = 'TABLE_PREFIX of the nodes: table names are prefix + name'
const bucketMeaning = 'S3_BUCKET of the nodes; empty if there are no attachments'

/** Refers to a value. Both languages write it so. */
const ref = (expression: string): string => `$\{${expression}}`
const bucketArn = (partition: string, bucket: string) => `arn:${ref(partition)}:s3:::${ref(bucket)}`
const cloudFormationBucketArn = bucketArn('AWS::Partition', 'MediaBucket')
const terraformBucketArn = bucketArn('data.aws_partition.current.partition', 'var.media_bucket')

export function cloudFormationTemplate() {
  const logicalIds = tableNames.map((name) => `${pascalCase(name)}Table`)
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'The tables of Parley and the policy of its nodes. Written by "npm run tables".',
    Parameters: {
      TablePrefix: {
        Type: 'String',
        Default: prefixDefault,
        AllowedPattern: `^${prefixRule}$`,
        Description: prefixMeaning,
      },
      MediaBucket: { Type: 'String', Default: '', Description: bucketMeaning },
    },
    Conditions: { HasMedia: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'MediaBucket' }, ''] }] } },
    Resources: {
      ...Object.fromEntries(tableNames.map((name) => [`${pascalCase(name)}Table`, cloudFormationTable(name)])),
      NodePolicy: {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: {
          Description: 'What a node of Parley does to its tables',
          PolicyDocument: policyOf([
            { actions: ofTables, resources: logicalIds.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] })) },
          ]),
        },
      },
      MediaPolicy: {
        Type: 'AWS::IAM::ManagedPolicy',
        Condition: 'HasMedia',
        Properties: {
          Description: 'What a node of Parley does to its bucket',
          PolicyDocument: policyOf([
            {
              actions: ofObjects,
              resources: objects.map((each) => ({ 'Fn::Sub': `${cloudFormationBucketArn}/${each}` })),
            },
            { actions: ofBucket, resources: [{ 'Fn::Sub': cloudFormationBucketArn }] },
          ]),
        },
      },
    },
    Outputs: {
      NodePolicyArn: { Description: 'For the role of the nodes', Value: { Ref: 'NodePolicy' } },
      MediaPolicyArn: { Condition: 'HasMedia', Description: 'For the same role', Value: { Ref: 'MediaPolicy' } },
    },
  }
}

export function terraformConfiguration() {
  return {
    '//': 'The tables of Parley and the policy of its nodes. Written by "npm run tables".',
    terraform: {
      required_version: '>= 1.5',
      required_providers: { aws: { source: 'hashicorp/aws', version: '>= 5.0' } },
    },
    variable: {
      table_prefix: {
        type: 'string',
        default: prefixDefault,
        description: prefixMeaning,
        validation: {
          condition: ref(`can(regex("^${prefixRule}$", var.table_prefix))`),
          error_message: 'The prefix must be 1 to 128 of A-Z a-z 0-9 _ . -',
        },
      },
      media_bucket: { type: 'string', default: '', description: bucketMeaning },
    },
    data: {
      aws_partition: { current: {} },
      aws_iam_policy_document: {
        node: {
          statement: [
            { actions: ofTables, resources: tableNames.map((name) => ref(`aws_dynamodb_table.${name}.arn`)) },
          ],
        },
        media: {
          statement: [
            { actions: ofObjects, resources: objects.map((each) => `${terraformBucketArn}/${each}`) },
            { actions: ofBucket, resources: [terraformBucketArn] },
          ],
        },
      },
    },
    resource: {
      aws_dynamodb_table: Object.fromEntries(tableNames.map((name) => [name, terraformTable(name)])),
      aws_iam_policy: {
        node: {
          name_prefix: `${ref('var.table_prefix')}node-`,
          description: 'What a node of Parley does to its tables',
          policy: ref('data.aws_iam_policy_document.node.json'),
        },
        media: {
          count: ref('var.media_bucket == "" ? 0 : 1'),
          name_prefix: `${ref('var.table_prefix')}media-`,
          description: 'What a node of Parley does to its bucket',
          policy: ref('data.aws_iam_policy_document.media.json'),
        },
      },
    },
    output: {
      policy_arns: {
        description: 'For the role of the nodes',
        value: ref('concat([aws_iam_policy.node.arn], aws_iam_policy.media[*].arn)'),
      },
    },
  }
}

const keyOf = (name: TableName) =>
  Object.entries<Column<unknown, 'S' | 'N'>>(tables[name].key).map(([column, { type }]) => ({ column, type }))

function cloudFormationTable(name: TableName) {
  const key = keyOf(name)
  const ttlColumn = ttlColumns[name]
  return {
    Type: 'AWS::DynamoDB::Table',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TableName: { 'Fn::Sub': `${ref('TablePrefix')}${name}` },
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key.map(({ column }, place) => ({ AttributeName: column, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
      AttributeDefinitions: key.map(({ column, type }) => ({ AttributeName: column, AttributeType: type })),
      ...(ttlColumn && { TimeToLiveSpecification: { AttributeName: ttlColumn, Enabled: true } }),
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    },
  }
}

function terraformTable(name: TableName) {
  const key = keyOf(name)
  const [partition, sort] = key
  const ttlColumn = ttlColumns[name]
  return {
    name: `${ref('var.table_prefix')}${name}`,
    billing_mode: 'PAY_PER_REQUEST',
    hash_key: partition?.column,
    ...(sort && { range_key: sort.column }),
    attribute: key.map(({ column, type }) => ({ name: column, type })),
    ...(ttlColumn && { ttl: { attribute_name: ttlColumn, enabled: true } }),
    point_in_time_recovery: { enabled: true },
    deletion_protection_enabled: true,
    lifecycle: { prevent_destroy: true },
  }
}

const policyOf = (statements: readonly { actions: readonly string[]; resources: readonly unknown[] }[]) => ({
  Version: '2012-10-17',
  Statement: statements.map(({ actions, resources }) => ({ Effect: 'Allow', Action: actions, Resource: resources })),
})

const pascalCase = (name: string): string =>
  name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
