/* SPDX-License-Identifier: MIT */
#ifndef AWS_NETOBS_H
#define AWS_NETOBS_H

/**
 * Network rates of Fargate task sizes and Lambda functions as others measured them. AWS documents none, so
 * these are observations with a date and no promise. Source:
 * https://github.com/sjakthol/aws-network-benchmark, 15 June 2024 (Lambda with 10,240 MB: 22 July 2024),
 * Regions eu-west-1 and eu-north-1. Nothing above 4 vCPU was measured.
 *
 * Method, Fargate: iperf3 server in the task, client on EC2, 10 streams, reverse (the task sends), 15
 * minutes. Method, Lambda:  iperf3 client in the function, server on EC2, 1 stream, the function sends, 60
 * minutes.
 */
#define NET_OBSERVED_DATE   "2024-06"
#define NET_OBSERVED_REGION "eu-west-1" /* whose figures are expected everywhere; those of the other are much alike */
#define NET_OBSERVED_SOURCE "sjakthol/aws-network-benchmark, 2024-06-15"

/** A row of the published tables, figures exactly as published (Gbps of 10^9 bits). */
struct net_observation {
	const char *region;
	unsigned cpu_units; /**< 1024 a vCPU; 0 for a Lambda function */
	unsigned mem_mib;
	double base_gbps, burst_gbps;
	double burst_s; /**< NAN: not published (Lambda) */
};

/** Both end with a row whose region is NULL. In a Region the memory of tasks of one vCPU ascends. */
extern const struct net_observation net_observed_tasks[];
extern const struct net_observation net_observed_lambda[];

/** The row of a function of exactly that size, or NULL. */
const struct net_observation *net_observed_function(const char *region, unsigned mem_mib);

#endif
