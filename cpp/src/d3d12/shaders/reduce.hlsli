// What reduce, reduce_long and reduce_few share: the parameters, and the arithmetic of a family of types.
// Rows are made of units (UNIT bytes; elements of 8 or 16 bits where UNIT is 1), units of items, on which a
// family defines
//   ACC                   what is accumulated, ACC_WORDS words; load_acc(item) and store_acc(acc) convert
//   prepare(item)         an update, as apply() wants it
//   apply(acc, update)    one step of the reduction
//   QUICK                 1: there is also quick(), which may be wrong, and to tell
//   WATCH                 what watches over results, SURE at first: watch(before, result) is the next, as
//                         is watch_step(before, acc, update, result), which minds no zeros among the
//                         operands; is_sure(watch) is whether they all were right
#define FAMILY_SMALL 1
#define FAMILY_SUM 2
#define FAMILY_PRODUCT 3
#define FAMILY_64 4
#define FAMILY_COMPLEX 5

#include "ops.hlsli"

#ifndef PARAMETERS
#define PARAMETERS ReduceParameters
#endif
cbuffer Constants : register(b0)
{
  PARAMETERS p;
};

#if FAMILY == FAMILY_SMALL
#include "small_elements.hlsli"
#elif FAMILY == FAMILY_SUM || FAMILY == FAMILY_PRODUCT
#include "float.hlsli"
#elif FAMILY == FAMILY_64
#include "elements64.hlsli"
#else
#include "complex.hlsli"
#endif

#if ITEM_WORDS * 4 < UNIT
#define ITEMS 4
#define ITEM_OF(unit, i) (unit)[i]
#else
#define ITEMS 1
#define ITEM_OF(unit, i) (unit)
#endif
#if UNIT == 16
#define UNIT_WORDS 4
#elif UNIT == 8
#define UNIT_WORDS 2
#else
#define UNIT_WORDS 1
#endif
#define WORDS vector<uint, UNIT_WORDS>

// Unit i of rows that hold several a word.
#if UNIT == 1
#define LOAD_UNIT(rows, i) ((rows[(i) / (32u / p.bits)] >> ((i) * p.bits & 31u)) & ((1u << p.bits) - 1u))
#elif FLOATS_OF_HALVES
#define LOAD_UNIT(rows, i) ((rows[(i) >> 1] >> (((i) & 1u) * 16u)) & 0xffffu)
#else
#define LOAD_UNIT(rows, i) rows[i]
#endif
