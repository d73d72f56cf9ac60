// What a test asks of the layer, which the loader of Vulkan has opened.
#pragma once

extern "C" {

// The functions that it can make fail, from 0 on; null after the last.
const char* fault_layer_name(int i);

// Function `i` fails once, after so many calls. Of waits and submissions all later ones of the
// device fail, too: it is lost.
void fault_layer_arm(int i, int after);

// Takes that back; whether it has failed.
int fault_layer_disarm();

// How many buffers that shaders may write were created with a size that is a power of two.
int fault_layer_powers_of_two();
}
